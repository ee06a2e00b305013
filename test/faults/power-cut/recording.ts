/** Records what a program does to the files in a folder, in the order in which strace sees it. */
import { createReadStream, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { type Mark, marksFile } from './marks.ts';

/** Names are those of files in the folder, or `folderItself`. `create`: unless the file is there. */
export type Operation =
  | { readonly kind: 'create' | 'unlink'; readonly name: string }
  | { readonly kind: 'write'; readonly name: string; readonly offset: number; readonly data: Uint8Array }
  | { readonly kind: 'resize'; readonly name: string; readonly size: number }
  /** `began`: how many operations had ended when it began. Those are on disk when it ends. */
  | { readonly kind: 'sync'; readonly name: string; readonly began: number }
  /** A sync that failed. What it did not write counts as written for the system, but is not on disk. */
  | { readonly kind: 'failed sync'; readonly name: string; readonly began: number }
  | { readonly kind: 'mark'; readonly mark: Mark };

export const folderItself = '';

const calls = ['openat', 'pwrite64', 'write', 'ftruncate', 'fsync', 'fdatasync', 'unlink'];
/** Calls that cannot be replayed: a program must not make them on these files. */
const others = 'open,creat,writev,pwritev,pwritev2,truncate,fallocate,rename,renameat,renameat2,link,linkat';

export interface Program {
  readonly command: readonly string[];
  /** Makes each so-manieth sync of a thread fail. */
  readonly failingSync: number | undefined;
}

/** Runs a program until its end, or until it is killed, and adds what it does. Throws if it fails. */
export async function recordProgram(
  folder: string,
  { command, failingSync }: Program,
  operations: Operation[],
): Promise<void> {
  const trace = `${folder}-trace`;
  const options = ['-f', '--seccomp-bpf', '-y', '-xx', '-s', '100000', '-e', `trace=${calls},${others}`, '-o', trace];
  const failing = failingSync === undefined ? [] : ['-e', `inject=fdatasync:error=EIO:when=${failingSync}`];
  const child = Bun.spawn(['strace', ...options, ...failing, ...command], {
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'pipe',
  });
  const code = await child.exited;
  if (code !== 0 && child.signalCode !== 'SIGKILL') throw new Error(await new Response(child.stderr).text());
  const recorded = new TraceReader(folder, operations);
  // A long trace does not fit into a string.
  for await (const line of createInterface({ input: createReadStream(trace, 'latin1') })) recorded.readTraceLine(line);
  rmSync(trace);
}

/** A call that has ended: the file of its descriptor, its string, what follows in its arguments, and its result. */
const ended = /^(\w+)\((?:\w+<([^>]*)>(?:\(deleted\))?)?(?:, )?(?:"([^"]*)")?(?:, )?(.*)\) += (-?\d+)/;
const unfinished = ' <unfinished ...>';

class TraceReader {
  readonly #folder: string;
  readonly #operations: Operation[];
  /** By thread: a call during which the trace has others. */
  readonly #begun = new Map<string, { readonly text: string; readonly began: number }>();

  constructor(folder: string, operations: Operation[]) {
    this.#folder = folder;
    this.#operations = operations;
  }

  readTraceLine(line: string): void {
    const [, thread = '', text = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const began = this.#operations.length;
    const begun = this.#begun.get(thread);
    if (text.endsWith(unfinished)) this.#begun.set(thread, { text: text.slice(0, -unfinished.length), began });
    else if (!text.startsWith('<... ')) this.#addOperationOfCall(text, began);
    else if (begun) this.#addOperationOfCall(`${begun.text}${text.slice(text.indexOf('>') + 1)}`, begun.began);
  }

  #addOperationOfCall(text: string, began: number): void {
    const [, call = '', file = '', string = '', rest = '', result = ''] = ended.exec(text) ?? [];
    const name = this.#decodeNameIfInFolder(call === 'openat' || call === 'unlink' ? string : file);
    const isSync = call === 'fsync' || call === 'fdatasync';
    const hasFailed = Number(result) < 0;
    if (name === undefined || (hasFailed && !isSync)) return;
    switch (call) {
      case 'openat':
        if (rest.includes('O_CREAT')) this.#operations.push({ kind: 'create', name });
        break;
      case 'unlink':
        this.#operations.push({ kind: 'unlink', name });
        break;
      case 'ftruncate':
        this.#operations.push({ kind: 'resize', name, size: Number(rest) });
        break;
      case 'fsync':
      case 'fdatasync':
        this.#operations.push({ kind: hasFailed ? 'failed sync' : 'sync', name, began });
        break;
      default:
        this.#addWriteOrMark(call, { name, data: decodeHexBytes(string), offset: Number(rest.split(', ')[1]) });
    }
  }

  #addWriteOrMark(
    call: string,
    write: { readonly name: string; readonly data: Buffer; readonly offset: number },
  ): void {
    if (call === 'pwrite64') this.#operations.push({ kind: 'write', ...write });
    else if (call !== 'write' || write.name !== marksFile) throw new Error(`Not recorded: ${call} of ${write.name}`);
    else this.#operations.push({ kind: 'mark', mark: JSON.parse(write.data.toString()) });
  }

  /** Undefined for a file elsewhere, and for what SQLite makes anew after a power cut: its index of the log. */
  #decodeNameIfInFolder(inHex: string): string | undefined {
    const path = decodeHexBytes(inHex).toString();
    if (path === this.#folder) return folderItself;
    return dirname(path) === this.#folder && !path.endsWith('-shm') ? basename(path) : undefined;
  }
}

const decodeHexBytes = (inHex: string) => Buffer.from(inHex.replaceAll('\\x', ''), 'hex');
