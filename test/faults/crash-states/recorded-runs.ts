/** The recorded runs and their promises: see crash-states.test.ts. */
import { expect } from 'bun:test';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Note } from '../../../src/domain/note.ts';
import type { Random } from '../../support/random.ts';
import { scaled } from '../../support/scale.ts';
import { notesIn, run, type Service, startService } from '../../support/service.ts';
import { settingsOf, sizeOf } from '../database.ts';
import { notesInImage, openInProgram } from './image-notes.ts';
import { RecordedClients } from './recorded-clients.ts';
import { type Check, Recording } from './recording.ts';

const writes = scaled(300, 30);

/** Writes before a backup; few, so that backup and restore are a large part of the recording. */
const fewWrites = 20;

/** A recorded folder with a database, and actions on it. */
export class Scene implements Disposable {
  readonly recording = new Recording();
  readonly random: Random;
  readonly database: string;
  readonly backups: string;

  constructor(random: Random) {
    this.random = random;
    this.database = this.path('notes.db');
    this.backups = this.path('backups');
    mkdirSync(this.backups);
    this.recording.promise('opens', opens(20));
  }

  path(name: string): string {
    return join(this.recording.folder, name);
  }

  start(): Promise<Service> {
    return startService({ ...settingsOf(this.database), ...this.recording.env });
  }

  /** Runs a command on the database; returns its output. */
  async command(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await run([...args, '--db', this.database], this.recording.env);
    if (code !== 0) throw new Error(`notes ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout.trim();
  }

  /** Overwrites all pages of the database except the first, which its log may contain too. */
  async damage(): Promise<void> {
    const script = `
      const { fstatSync, fsyncSync, openSync, writeSync } = require('node:fs');
      const fd = openSync(${JSON.stringify(this.database)}, 'r+');
      writeSync(fd, Buffer.alloc(fstatSync(fd).size - 4096, 'damaged'), 0, undefined, 4096);
      fsyncSync(fd);`;
    const child = Bun.spawn([process.execPath, '-e', script], { env: { ...process.env, ...this.recording.env } });
    expect(await child.exited).toBe(0);
  }

  /** Sends SIGTERM to a service and kills it at its first file operation after that. */
  async kill(service: Service): Promise<void> {
    this.recording.control({ operations: 0 });
    expect(await service.stop()).not.toBe(0);
    this.recording.lift();
  }

  /** Lets the clients write to a service until it is killed at one of its next file operations. */
  async killAmidWrites(clients: RecordedClients): Promise<void> {
    await using service = await this.start();
    this.recording.control({ operations: 50 + this.random.below(8 * writes) });
    await clients.write(service.url, 1_000_000);
    await service.process.exited;
    this.recording.lift();
  }

  [Symbol.dispose](): void {
    this.recording[Symbol.dispose]();
  }
}

async function stop(service: Service): Promise<void> {
  expect(await service.stop()).toBe(0);
}

const listOf = ({ url }: Service) => notesIn(fetch(`${url}/api/notes`));

export async function stopAndGoOn(scene: Scene): Promise<void> {
  const clients = new RecordedClients(scene.recording, scene.random);
  for (let round = 0; round < 2; round++) {
    await using service = await scene.start();
    await clients.write(service.url, writes);
    await stop(service);
  }
}

/** Writes until checkpoints have grown the database enough. */
async function writeMuch(scene: Scene): Promise<void> {
  const clients = new RecordedClients(scene.recording, scene.random, { lengths: [50_000, 120_000] });
  await using service = await scene.start();
  for (let round = 0; sizeOf(scene.database) < scaled(40, 1) * 2 ** 20; round++) {
    expect(round).toBeLessThan(200);
    await clients.write(service.url, 20);
  }
  await scene.kill(service);
}

async function kill(scene: Scene): Promise<void> {
  const clients = new RecordedClients(scene.recording, scene.random);
  for (let round = 0; round < scaled(6, 2); round++) await scene.killAmidWrites(clients);
  await using service = await scene.start();
  await clients.write(service.url, writes);
  await stop(service);
}

async function fillTheDisk(scene: Scene): Promise<void> {
  const clients = new RecordedClients(scene.recording, scene.random);
  await using service = await scene.start();
  await clients.write(service.url, writes);
  scene.recording.control({ room: 200_000 });
  for (let round = 0; clients.refused < 20; round++) {
    expect(round).toBeLessThan(100);
    await clients.write(service.url, 20);
  }
  scene.recording.lift();
  await clients.write(service.url, writes);
  await stop(service);
}

async function moveTheClock(scene: Scene): Promise<void> {
  const clients = new RecordedClients(scene.recording, scene.random);
  await using service = await scene.start();
  for (const hours of [0, 24, -24]) {
    scene.recording.control({ clockOffsetMs: hours * 3_600_000 });
    await clients.write(service.url, writes);
    const newest = (await listOf(service)).at(-1)?.createdAt ?? '';
    expect(Math.abs(Date.parse(newest) - Date.now() - hours * 3_600_000)).toBeLessThan(3_600_000);
  }
  await stop(service);
}

/** `notes backup` twice during writes: its file exists after the command, and is complete whenever it exists. */
async function backUp(scene: Scene): Promise<void> {
  const clients = new RecordedClients(scene.recording, scene.random);
  await using service = await scene.start();
  await clients.write(service.url, fewWrites);
  let before: Check = (folder) =>
    existsSync(join(folder, 'backups/copy.db')) ? ['it is there, but not as a whole'] : [];
  for (let round = 0; round < 2; round++) {
    const began = performance.now();
    const made: Check = async (folder) => {
      const path = join(folder, 'backups/copy.db');
      return existsSync(path) ? clients.contradictions(notesInImage(path), began) : ['it is not there'];
    };
    scene.recording.promise('backup', either(before, made));
    const writing = clients.write(service.url, fewWrites);
    await scene.command('backup', '--force', join(scene.backups, 'copy.db'));
    scene.recording.promise('backup', made);
    await writing;
    before = made;
  }
  await stop(service);
}

/** `notes restore`: the old notes or those of the backup, the latter after the command; the old file is kept. */
async function restore(scene: Scene): Promise<void> {
  const clients = new RecordedClients(scene.recording, scene.random);
  const backup = join(scene.backups, 'copy.db');
  let old: readonly Note[] = [];
  {
    await using service = await scene.start();
    await clients.write(service.url, fewWrites);
    await scene.command('backup', backup);
    await clients.write(service.url, fewWrites);
    old = await listOf(service);
    await scene.kill(service);
  }
  const { notes: restored } = notesInImage(backup);
  const { highestId } = clients;
  scene.recording.promise('notes', either(has('notes.db', old, highestId), has('notes.db', restored, highestId)));
  const saved = await scene.command('restore', '--yes', backup);
  scene.recording.promise('notes', has('notes.db', restored, highestId));
  scene.recording.promise('saved', has(saved.slice(scene.recording.folder.length + 1), old, highestId));

  const others = new RecordedClients(scene.recording, scene.random, { others: restored, lastId: highestId });
  await using service = await scene.start();
  await others.write(service.url, fewWrites);
  await stop(service);
}

/** `notes restore` over a database that cannot be opened, whose log must not be applied to the new file. */
async function restoreDamaged(scene: Scene): Promise<void> {
  const backup = join(scene.backups, 'copy.db');
  const first = new RecordedClients(scene.recording, scene.random);
  {
    await using service = await scene.start();
    await first.write(service.url, fewWrites);
    await scene.command('backup', backup);
    await stop(service);
  }
  const { notes: others } = notesInImage(backup); // no longer written to, so no log repairs their pages
  const second = new RecordedClients(scene.recording, scene.random, { others, lastId: first.highestId });
  {
    await using service = await scene.start();
    await second.write(service.url, fewWrites);
    await scene.kill(service);
  }
  const isRestored = has('notes.db', notesInImage(backup).notes, 0);
  for (const subject of ['opens', 'notes']) scene.recording.promise(subject, () => []);
  await scene.damage();
  scene.recording.promise('notes', either(isRestored, isRefused));
  await scene.command('restore', '--yes', backup);
  scene.recording.promise('notes', isRestored);
}

const isRefused: Check = (folder) =>
  openInProgram(join(folder, 'notes.db')).then(
    (notes) => [`${notes.length} notes can be read, which are not those of the backup`],
    () => [],
  );

/** Checks that a file has exactly these notes and reuses no id. */
function has(name: string, notes: readonly Note[], highestId: number): Check {
  return async (folder) => {
    const found = notesInImage(join(folder, name));
    const isAll = Bun.deepEquals(found.notes, notes) && found.lastId >= highestId && found.integrity === 'ok';
    return isAll ? [] : [`${name} has ${found.notes.length} notes up to id ${found.lastId}, ${found.integrity}`];
  };
}

function either(one: Check, other: Check): Check {
  return async (folder) => {
    const breaches = await Promise.resolve(one(folder)).catch((error) => [String(error)]);
    return breaches.length === 0 ? [] : other(folder);
  };
}

/** Opens one of every `each` images with the program itself. */
function opens(each: number): Check {
  let seen = 0;
  return async (folder) => {
    const path = join(folder, 'notes.db');
    if (seen++ % each > 0 || !existsSync(path)) return [];
    const { notes } = notesInImage(path);
    const isSame = Bun.deepEquals(await openInProgram(path), notes);
    return isSame ? [] : ['the program finds other notes than SQLite does'];
  };
}

/** By name. */
export const runs: readonly (readonly [string, (scene: Scene) => Promise<void>])[] = [
  ['a stop and another start', stopAndGoOn],
  ['checkpoints', writeMuch],
  ['kills', kill],
  ['a full disk', fillTheDisk],
  ['a clock that jumps', moveTheClock],
  ['backups', backUp],
  ['a restore', restore],
  ['a restore of a damaged database', restoreDamaged],
];
