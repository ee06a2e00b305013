/** Runs the program in a real pseudo-terminal: tests press keys and read the screen. */
import { tmpdir } from 'node:os';
import { Terminal as Emulator } from '@xterm/headless';
import { isEventuallyTrue } from '../eventually.ts';

export const keys = {
  up: '\x1b[A',
  down: '\x1b[B',
  enter: '\r',
  escape: '\x1b',
  backspace: '\x7f',
  interrupt: '\x03',
  end: '\x04',
  pick: '\x07',
} as const;

export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export class Terminal implements AsyncDisposable {
  /** Everything written to the terminal. */
  output = '';
  isCursorShown = true;
  readonly #emulator: Emulator;
  readonly #child: Bun.Subprocess;
  readonly #decoder = new TextDecoder();
  /** Resolves when no program has the terminal open any more. */
  readonly #closed = Promise.withResolvers<void>();

  constructor(command: readonly string[], { columns = 80, rows = 24, env = {}, cwd = tmpdir() }: TerminalOptions = {}) {
    this.#emulator = new Emulator({ cols: columns, rows, allowProposedApi: true });
    for (const final of ['h', 'l'] as const) this.#trackCursorVisibility(final);
    this.#child = Bun.spawn([...command], {
      cwd,
      env: { PATH: process.env['PATH'] ?? '', HOME: '/dev/null', TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env },
      terminal: {
        cols: columns,
        rows,
        data: (_, bytes) => this.#writeToScreen(this.#decoder.decode(bytes, { stream: true })),
        exit: () => this.#closed.resolve(),
      },
    });
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** The rows of the screen, without blanks at their ends and blank rows at the end. */
  get screenText(): string {
    const { active } = this.#emulator.buffer;
    const rows = Array.from({ length: this.#emulator.rows }, (_, row) => active.getLine(active.baseY + row));
    return rows
      .map((row) => row?.translateToString().trimEnd())
      .join('\n')
      .trimEnd();
  }

  get isAlternateScreen(): boolean {
    return this.#emulator.buffer.active.type === 'alternate';
  }

  /** The exit code, once all output is there. */
  async waitForExitCode(): Promise<number> {
    const code = await this.#child.exited;
    await this.#closed.promise; // the last output arrives before
    await new Promise<void>((done) => this.#emulator.write('', done));
    return code;
  }

  press(text: string): void {
    this.#child.terminal?.write(text);
  }

  /** Waits until the screen shows a text. Rejects with the actual screen. */
  async waitForText(expected: string | RegExp): Promise<void> {
    const isShown = () =>
      typeof expected === 'string' ? this.screenText.includes(expected) : expected.test(this.screenText);
    if (!(await isEventuallyTrue(isShown)))
      throw new Error(`The screen does not show ${expected}, but:\n${this.screenText}`);
  }

  resize(columns: number, rows: number): void {
    this.#emulator.resize(columns, rows);
    this.#child.terminal?.resize(columns, rows);
  }

  /** Whether the terminal is in cooked mode: no program reads single keys. */
  get isInCookedMode(): boolean {
    const lineByLine = 0o2;
    const echo = 0o10;
    return ((this.#child.terminal?.localFlags ?? 0) & (lineByLine | echo)) === (lineByLine | echo);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#child.exited;
    this.#child.terminal?.close();
  }

  #trackCursorVisibility(final: 'h' | 'l'): void {
    this.#emulator.parser.registerCsiHandler({ prefix: '?', final }, ([mode]) => {
      if (mode === 25) this.isCursorShown = final === 'h';
      return false; // handled further
    });
  }

  #writeToScreen(text: string): void {
    this.output += text;
    this.#emulator.write(text);
  }
}
