/** The file operations of a program below a folder, in order, recorded by record-io.c. */
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileShim, obstacleToShim } from './shim.ts';

const source = join(import.meta.dir, 'record-io.c');

/** Why recording is impossible here; undefined if possible. */
export function obstacleToRecording(): string | undefined {
  const obstacle = obstacleToShim(source);
  if (obstacle !== undefined) return obstacle;
  using recording = new Recording();
  const { success } = Bun.spawnSync(['true'], { env: { ...process.env, ...recording.env } });
  return success ? undefined : 'system calls cannot be filtered here';
}

/** The numbers in the records. */
const kinds = [
  'mark',
  'create',
  'write',
  'resize',
  'sync',
  'sync folder',
  'rename',
  'link',
  'unlink',
  'make folder',
  'remove folder',
  'unknown',
] as const;

/** One record; fields that do not apply to its kind are 0 or empty. Paths are relative to the folder. */
export interface Operation {
  readonly kind: (typeof kinds)[number];
  /** The thread that did it. */
  readonly thread: number;
  /** The inode of the file; may be reused after its deletion. */
  readonly inode: number;
  /** The offset of a write, the new size of a file, or the number of a mark. */
  readonly offset: number;
  readonly path: string;
  /** The new name. */
  readonly to: string;
  readonly data: Uint8Array;
}

/** How the files in a folder break a promise; empty if they keep it. */
export type Check = (folder: string) => Promise<readonly string[]> | readonly string[];

/** A check of a subject, which replaces an earlier one from some moment on. */
export interface Promised {
  readonly subject: string;
  readonly check: Check;
}

/** What can be changed while programs run: `struct control` in record-io.c. */
const controls = ['room', 'operations', 'clockOffsetMs', 'syncDelayMs'] as const;
const unlimited = 2 ** 52;

/** Bytes before the path of a record: `struct head` in record-io.c. */
const headBytes = 32;

/** A folder; programs started with `env` are recorded in it. */
export class Recording implements Disposable {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** By the numbers of the marks. */
  readonly promised: Promised[] = [];
  readonly #home = mkdtempSync(join(realpathSync(existsSync('/dev/shm') ? '/dev/shm' : tmpdir()), 'notes-test-'));
  readonly #trace: number;
  readonly #control: number;

  constructor() {
    this.folder = join(this.#home, 'recorded');
    const [trace, control] = [join(this.#home, 'trace'), join(this.#home, 'control')];
    mkdirSync(this.folder);
    writeFileSync(control, new Uint8Array(controls.length * 8));
    this.#trace = openSync(trace, 'a');
    this.#control = openSync(control, 'r+');
    this.control({ room: unlimited, operations: unlimited, syncDelayMs: 1 });
    const LD_PRELOAD = compileShim(source, this.#home);
    this.env = { LD_PRELOAD, RECORD_FOLDER: this.folder, RECORD_TRACE: trace, RECORD_CONTROL: control };
  }

  /** `room`: bytes by which files may still grow. `operations`: operations until the program is killed. */
  control(changes: Partial<Record<(typeof controls)[number], number>>): void {
    for (const [index, name] of controls.entries()) {
      const value = changes[name];
      if (value !== undefined) writeSync(this.#control, new BigInt64Array([BigInt(value)]), 0, 8, index * 8);
    }
  }

  /** Removes the limits: no kill and no full disk from now on. */
  lift(): void {
    this.control({ room: unlimited, operations: unlimited });
  }

  /** Marks in the recording that a promise holds from here on. */
  promise(subject: string, check: Check): void {
    const head = new DataView(new ArrayBuffer(headBytes));
    head.setUint32(0, headBytes, true);
    head.setBigInt64(24, BigInt(this.promised.length), true);
    writeSync(this.#trace, new Uint8Array(head.buffer));
    this.promised.push({ subject, check });
  }

  /** All records, once the programs have ended. Throws if a program did something that cannot be recorded. */
  operations(): Operation[] {
    const bytes = readFileSync(join(this.#home, 'trace'));
    const read: Operation[] = [];
    for (let at = 0; at < bytes.length; ) {
      const size = bytes.readUInt32LE(at);
      read.push(operationIn(bytes.subarray(at, at + size), this.folder));
      at += size;
    }
    const unknown = read.find(({ kind }) => kind === 'unknown');
    if (unknown) throw new Error(`Not recorded: what was done to ${unknown.path} ${unknown.to}`);
    return read;
  }

  [Symbol.dispose](): void {
    for (const fd of [this.#trace, this.#control]) closeSync(fd);
    rmSync(this.#home, { recursive: true, force: true });
  }
}

function operationIn(record: Buffer, folder: string): Operation {
  const data = record.subarray(headBytes + record.readUInt32LE(12));
  const kind = kinds[record.readUInt32LE(4)] ?? 'unknown';
  const within = (path: string) => path.slice(folder.length + 1);
  return {
    kind,
    thread: record.readUInt32LE(8),
    inode: Number(record.readBigUInt64LE(16)),
    offset: Number(record.readBigInt64LE(24)),
    path: within(record.toString('utf8', headBytes, headBytes + record.readUInt32LE(12))),
    to: kind === 'rename' || kind === 'link' ? within(data.toString()) : '',
    data,
  };
}
