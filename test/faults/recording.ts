/** What a program does to the files below a folder, in order, as record-io.c records it. */
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
import { compileShim, obstacleToShim } from '../support/shim.ts';

const source = join(import.meta.dir, 'record-io.c');

/** Why nothing can be recorded here, or undefined. */
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

/** One record; what its kind does not have is 0 or empty. Paths are relative to the folder. */
export interface Operation {
  readonly kind: (typeof kinds)[number];
  /** Of the process that did it. */
  readonly thread: number;
  /** Of the file; given anew when the file is gone. */
  readonly inode: number;
  /** Where a write begins; the new size of a file; the number of a mark. */
  readonly offset: number;
  readonly path: string;
  /** The new name. */
  readonly to: string;
  readonly data: Uint8Array;
}

/** How the files in a folder break a promise; empty when they keep it. */
export type Check = (folder: string) => Promise<readonly string[]> | readonly string[];

/** From some moment on, the check holds for its subject instead of an earlier one. */
export interface Promised {
  readonly subject: string;
  readonly check: Check;
}

/** What can be changed while programs run: `struct control` in record-io.c. */
const controls = ['room', 'operations', 'clockOffsetMs', 'syncDelayMs'] as const;
const unlimited = 2 ** 52;

/** Bytes in front of the path of a record: `struct head` in record-io.c. */
const headBytes = 32;

/** A folder in which programs that are started with `env` are recorded. */
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

  /** `room`: bytes by which files may still grow. `operations`: after so many more the program is killed. */
  control(changes: Partial<Record<(typeof controls)[number], number>>): void {
    for (const [index, name] of controls.entries()) {
      const value = changes[name];
      if (value !== undefined) writeSync(this.#control, new BigInt64Array([BigInt(value)]), 0, 8, index * 8);
    }
  }

  /** Neither a kill nor a full disk, from now on. */
  lift(): void {
    this.control({ room: unlimited, operations: unlimited });
  }

  /** Marks in the recording that from here on something is promised. */
  promise(subject: string, check: Check): void {
    const head = new DataView(new ArrayBuffer(headBytes));
    head.setUint32(0, headBytes, true);
    head.setBigInt64(24, BigInt(this.promised.length), true);
    writeSync(this.#trace, new Uint8Array(head.buffer));
    this.promised.push({ subject, check });
  }

  /** All that was recorded, once the programs have ended. Throws when one did what the records cannot tell. */
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
