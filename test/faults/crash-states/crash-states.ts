/** Checks the possible states of a disk after a power cut, at every moment of a recording, against its promises. */
import {
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Random } from '../../support/random.ts';
import { type Cut, someCuts } from './cuts.ts';
import { FragileFiles } from './fragile-files.ts';
import type { Check, Operation, Promised } from './recording.ts';

export interface Examination {
  readonly operations: readonly Operation[];
  /** By the numbers of the marks. */
  readonly promised: readonly Promised[];
  /** The maximum of images to check. */
  readonly images: number;
  readonly random: Random;
  /** Whether syncs have an effect; true by default. */
  readonly syncs?: boolean;
}

export interface Findings {
  /** The numbers of different images and of moments of power cuts. */
  images: number;
  moments: number;
  /** Broken promises, with their moments. */
  readonly broken: string[];
}

/** SQLite recreates its index of the log (-shm); the others contain no notes. */
const isIgnored = (path: string) => /-shm$|\.lock\b|\.url\b/.test(path);

/** Cuts the power before each operation and after the last one; half of the images are for renames and deletions. */
export async function examine(examination: Examination): Promise<Findings> {
  using examiner = new Examiner(examination);
  for (const operation of examination.operations) await examiner.follow(operation);
  await examiner.cutPower();
  return examiner.findings;
}

class Examiner implements Disposable {
  readonly findings: Findings = { images: 0, moments: 0, broken: [] };
  readonly #examination: Examination;
  readonly #folder = imageFolder();
  readonly #files: FragileFiles;
  readonly #checks = new Map<string, Check>();
  readonly #seen = new Set<string>();
  readonly #each: { readonly rare: number; readonly others: number };
  #marks = 0;
  #last: Operation | undefined;

  constructor(examination: Examination) {
    const { operations, promised, images, syncs } = examination;
    const rare = operations.filter(isRare).length;
    this.#examination = examination;
    this.#files = new FragileFiles(isIgnored, syncs);
    this.#each = { rare: images / 2 / rare, others: images / 2 / (operations.length - promised.length - rare) };
  }

  async follow(operation: Operation): Promise<void> {
    if (operation.kind === 'mark') return this.#take(this.#examination.promised[operation.offset]);
    await this.cutPower();
    this.#files.apply(operation);
    this.#last = operation;
  }

  #take(promised: Promised | undefined): void {
    if (promised) this.#checks.set(promised.subject, promised.check);
    this.#marks++;
  }

  async cutPower(): Promise<void> {
    const { random } = this.#examination;
    this.findings.moments++;
    const each = this.#last && isRare(this.#last) ? this.#each.rare : this.#each.others;
    const count = Math.floor(each + random.below(1_000) / 1_000);
    if (count === 0) return;
    for (const cut of someCuts(this.#files.pending(), count, random)) await this.#check(cut);
  }

  /** Skips images already checked against the same promises. */
  async #check({ name, fates }: Cut): Promise<void> {
    const image = this.#files.image(fates);
    const key = `${this.#marks} ${hashOf(image)}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.findings.images++;
    lay(image, this.#folder.path);
    const moment = this.#last
      ? `operation ${this.findings.moments} (${this.#last.kind} ${this.#last.path})`
      : 'nothing';
    for (const check of this.#checks.values()) {
      const breaches = await breachesOf(check, this.#folder.path);
      this.findings.broken.push(...breaches.map((breach) => `after ${moment}, ${name}: ${breach}`));
    }
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

/** Changes of names are rare compared to writes and syncs. */
const isRare = ({ kind, path }: Operation) => !['mark', 'write', 'sync', 'resize'].includes(kind) && !isIgnored(path);

/** The breaches of a check; a failure to read the files counts as one. */
async function breachesOf(check: Check, folder: string): Promise<readonly string[]> {
  try {
    return await check(folder);
  } catch (error) {
    return [String(error)];
  }
}

/** In memory if the system has such a folder. */
function imageFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'notes-test-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

const hashOf = (image: ReadonlyMap<string, Uint8Array>) =>
  [...image].map(([path, bytes]) => `${path} ${bytes.length} ${Bun.hash(bytes)}`).join();

/** Overwrites the files of the previous image, as creating files would take most of the time. */
function lay(image: ReadonlyMap<string, Uint8Array>, folder: string): void {
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!image.has(path) && statSync(join(folder, path)).isFile()) rmSync(join(folder, path));
  }
  for (const [path, bytes] of image) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    const fd = openSync(join(folder, path), constants.O_RDWR | constants.O_CREAT, 0o600);
    writeSync(fd, bytes, 0, bytes.length, 0);
    ftruncateSync(fd, bytes.length);
    closeSync(fd);
  }
}
