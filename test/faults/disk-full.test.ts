/** What the service does when its disk is full, and when there is room again: on a small disk that is mounted for it. */
import { afterAll, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { message } from '../src/domain/message.ts';
import { Note } from '../src/domain/note.ts';
import type { JsonChunks } from '../src/domain/store.ts';
import { spool } from '../src/store/spool.ts';
import { beginList, storeLongList } from './long-list.ts';
import { draft, jsonBody, startService, temporaryFolder } from './service.ts';

interface SmallDisk extends Disposable {
  readonly path: string;
}

/** A disk in memory of so many MB. Throws where this process must not mount one. */
function mountSmallDisk(size: number): SmallDisk {
  const folder = temporaryFolder();
  const { success, stderr } = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', `size=${size}m`, 'notes-test', folder.path]);
  if (!success) {
    folder[Symbol.dispose]();
    throw new Error(stderr.toString().trim());
  }
  const disk = {
    path: folder.path,
    [Symbol.dispose]() {
      if (mounted.delete(disk)) Bun.spawnSync(['umount', '--lazy', folder.path]);
      folder[Symbol.dispose]();
    },
  };
  mounted.add(disk);
  return disk;
}

/** A test that takes too long does not come to dispose of its disk. */
const mounted = new Set<SmallDisk>();
afterAll(() => {
  for (const disk of mounted) disk[Symbol.dispose]();
});

/** Why no disk can be mounted here, or undefined. */
function obstacle(): string | undefined {
  if (process.platform !== 'linux') return 'it needs Linux';
  if (process.getuid?.() !== 0) return 'it needs root';
  try {
    mountSmallDisk(8)[Symbol.dispose]();
    return undefined;
  } catch (error) {
    return String(error);
  }
}

const reason = obstacle();
if (reason !== undefined) console.warn(`disk-full.test.ts is skipped: ${reason}`);

const api = (service: { readonly url: string }) => `${service.url}/api/notes`;
const listOf = async (url: string) => z.array(Note).parse(await (await fetch(url)).json());
const large = (title: string) => jsonBody(draft({ title, content: 'x'.repeat(4_000) }));

/** Creates notes until one is refused; returns those that were acknowledged, and the refusal. */
async function fill(url: string): Promise<{ acknowledged: Note[]; refusal: Response }> {
  const acknowledged: Note[] = [];
  for (;;) {
    const answer = await fetch(url, large(`note ${acknowledged.length}`));
    if (!answer.ok) return { acknowledged, refusal: answer };
    acknowledged.push(Note.parse(await answer.json()));
  }
}

/** 8 MB are full before the log is first folded into the database, 40 MB long after that. */
test.skipIf(reason !== undefined).each([8, 40])(
  'on a full disk of %d MB writes are refused and reads answered, and with room again all goes on',
  async (size) => {
    using disk = mountSmallDisk(size);
    const ballast = join(disk.path, 'ballast');
    writeFileSync(ballast, new Uint8Array(2 * 1024 * 1024));
    const settings = { DATABASE_URL: `sqlite:${join(disk.path, 'notes.db')}` };
    await using service = await startService(settings);
    const url = api(service);

    const { acknowledged, refusal } = await fill(url);
    expect(acknowledged.length).toBeGreaterThan(100);
    expect(refusal.status).toBe(500);
    expect(await refusal.json()).toEqual({ error: message.storeFull });

    const refused = await Promise.all(Array.from({ length: 100 }, () => fetch(url, large('too many'))));
    expect(new Set(refused.map((answer) => answer.status))).toEqual(new Set([500]));
    expect(await listOf(url)).toEqual(acknowledged);
    expect((await fetch(`${url}/1`)).status).toBe(200);
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);

    rmSync(ballast);
    const freed = performance.now();
    const answer = await fetch(url, large('with room again'));
    expect(answer.status).toBe(200);
    expect(performance.now() - freed).toBeLessThan(1_000);

    acknowledged.push(Note.parse(await answer.json()));
    expect(await listOf(url)).toEqual(acknowledged);
    expect(service.process.exitCode).toBeNull();
    expect(await service.stop()).toBe(0);

    await using restarted = await startService(settings);
    expect(await listOf(api(restarted))).toEqual(acknowledged);
  },
  30_000,
);

test.skipIf(reason !== undefined)(
  'notes on a disk that was full when the service was killed are there once it has room',
  async () => {
    using disk = mountSmallDisk(8);
    const ballast = join(disk.path, 'ballast');
    writeFileSync(ballast, new Uint8Array(2 * 1024 * 1024));
    const settings = { DATABASE_URL: `sqlite:${join(disk.path, 'notes.db')}` };
    await using service = await startService(settings);

    const { acknowledged } = await fill(api(service));
    await service.stop('SIGKILL');
    rmSync(ballast);

    await using restarted = await startService(settings);
    expect(await listOf(api(restarted))).toEqual(acknowledged);
    expect((await fetch(api(restarted), large('with room again'))).status).toBe(200);
  },
  30_000,
);

test.skipIf(reason !== undefined)(
  'on a full disk long lists break off for slow readers and arrive for fast ones, and the service goes on',
  async () => {
    using disk = mountSmallDisk(64);
    const path = join(disk.path, 'notes.db');
    const stored = await storeLongList(path);
    await using service = await startService({ DATABASE_URL: `sqlite:${path}` });
    const ballast = join(disk.path, 'ballast');
    expect(() => writeFileSync(ballast, new Uint8Array(64 * 1024 * 1024))).toThrow('ENOSPC');

    const lists = await Promise.all(Array.from({ length: 16 }, () => beginList(service.url)));
    await Bun.sleep(2_500); // a reader is slow when it has taken nothing for 2 s
    const endings = await Promise.all(lists.map((list) => list.rest()));

    expect(endings).toEqual(Array.from(lists, () => undefined));
    for (let n = 0; n < 10; n++) expect(await listOf(api(service))).toHaveLength(stored.length);
    expect(service.process.exitCode).toBeNull();
    rmSync(ballast);
    expect((await fetch(api(service), large('with room again'))).status).toBe(200);
  },
  30_000,
);

test.skipIf(reason !== undefined)(
  'a list whose last piece no longer fits on the disk does not end as if it were complete',
  async () => {
    using disk = mountSmallDisk(1);
    const spooled = Promise.withResolvers<void>();
    function* rest(): Generator<string, void, void> {
      try {
        for (let n = 0; n < 4; n++) yield 'x'.repeat(300_000);
      } finally {
        spooled.resolve();
      }
    }

    const chunks = spool('the head', rest(), { folder: disk.path, afterMs: 1, reservedBytes: 0 });
    await spooled.promise;

    await expect(readAll(chunks)).rejects.toThrow('ENOSPC');
    const careful = spool('the head', rest(), { folder: disk.path, afterMs: 1 });
    await Bun.sleep(20);
    await expect(readAll(careful)).rejects.toThrow('Too little room');
  },
);

async function readAll(chunks: JsonChunks): Promise<number> {
  let bytes = 0;
  for (let chunk = await chunks.next(); chunk; chunk = await chunks.next()) bytes += chunk.length;
  return bytes;
}
