import { Writable } from 'node:stream';
import type { Io } from '../io.ts';
import { getTerminalSizeOrDefault } from './text-width.ts';

const enterAlternate = '\x1b[?1049h\x1b[H';
const leaveAlternate = '\x1b[?25h\x1b[?1049l';

/** Presents stderr to a drawing library as a stream with a size and an alternate screen. */
export class ScreenStream extends Writable implements Disposable {
  readonly isTTY = true;
  readonly #stderr: Io['stderr'];
  readonly #resized = () => void this.emit('resize');
  readonly #leave = () => this.#leaveAlternate();
  #isAlternate = false;

  constructor(stderr: Io['stderr']) {
    super({ decodeStrings: false });
    this.#stderr = stderr;
    stderr.on?.('resize', this.#resized);
    process.on('exit', this.#leave);
  }

  get columns(): number {
    return getTerminalSizeOrDefault(this.#stderr).columns;
  }

  get rows(): number {
    return getTerminalSizeOrDefault(this.#stderr).rows;
  }

  /** Switches to the alternate screen until disposal or the end of the process. */
  enterAlternateScreen(): void {
    this.#isAlternate = true;
    this.#stderr.write(enterAlternate);
  }

  #leaveAlternate(): void {
    if (this.#isAlternate) this.#stderr.write(leaveAlternate);
    this.#isAlternate = false;
  }

  override _write(chunk: string, _encoding: BufferEncoding, done: () => void): void {
    this.#stderr.write(chunk);
    done();
  }

  [Symbol.dispose](): void {
    this.#leaveAlternate();
    process.off('exit', this.#leave);
    this.#stderr.off?.('resize', this.#resized);
  }
}
