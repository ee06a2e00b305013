/**
 * The service is killed, or told to stop, while 64 clients write. `FAULT_ROUNDS` says how often, `FAULT_SEED` repeats
 * what the clients write; the moment of the blow is never quite the same.
 */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Load } from './load.ts';
import { seeded } from './random.ts';
import { connect } from './raw.ts';
import { draft, startService, temporaryFolder } from './service.ts';

const rounds = Number(process.env['FAULT_ROUNDS'] ?? 5);
const seed = Number(process.env['FAULT_SEED'] ?? Date.now() % 2 ** 32);
const timeout = 30_000 + rounds * 10_000;
console.log(`FAULT_ROUNDS=${rounds} FAULT_SEED=${seed}`);

/** A database file for one test. */
function temporaryFile() {
  const folder = temporaryFolder();
  const path = join(folder.path, 'notes.db');
  return { path, settings: { DATABASE_URL: `sqlite:${path}` }, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

function faultsIn(path: string): unknown[] {
  using db = new Database(path, { readonly: true });
  return db.prepare('PRAGMA integrity_check').all();
}

test(
  `${rounds} times killed under load, the service has every write that it acknowledged, once`,
  async () => {
    using file = temporaryFile();
    const load = new Load(seeded(seed), 'unknown');

    for (let round = 0; round < rounds; round++) {
      await using service = await startService(file.settings);
      await load.until(() => service.process.kill('SIGKILL'), service);
      await service.process.exited;

      await using restarted = await startService(file.settings);
      await load.verify(restarted);
      expect(faultsIn(file.path)).toEqual([{ integrity_check: 'ok' }]);
    }
    console.log(`${load.acknowledged} writes acknowledged, none lost`);
  },
  timeout,
);

test(
  `${rounds} times stopped under load, the service answers what it does, and does nothing else`,
  async () => {
    using file = temporaryFile();
    const load = new Load(seeded(seed), 'failed');

    for (let round = 0; round < rounds; round++) {
      await using service = await startService(file.settings);
      const endings = await load.until(() => service.process.kill('SIGTERM'), service);
      expect(endings).not.toContain('cut off');
      expect(await service.process.exited).toBe(0);

      await using restarted = await startService(file.settings);
      await load.verify(restarted);
    }
  },
  timeout,
);

test(
  `${rounds} times stopped under load, the service answers every request that it was sent`,
  async () => {
    using file = temporaryFile();
    const load = new Load(seeded(seed), 'failed');

    for (let round = 0; round < rounds; round++) {
      await using service = await startService(file.settings);
      const endings = await load.until(() => service.process.kill('SIGTERM'), service);

      const unanswered = endings.filter((ending) => ending !== 'told').length;
      expect(`${unanswered} requests without an answer`).toBe('0 requests without an answer');
    }
  },
  timeout,
);

test('a request that is half sent when the service is told to stop is answered before it ends', async () => {
  using file = temporaryFile();
  const service = await startService(file.settings);
  using connection = await connect(service.port);
  const body = JSON.stringify(draft({ title: 'sent in two halves' }));
  const head = `POST /api/notes HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;

  connection.send(head + body.slice(0, 20));
  await fetch(`${service.url}/healthz`); // the service has read what came before
  const exited = service.stop('SIGTERM');
  await refusesConnections(service.port);
  connection.send(body.slice(20));

  expect(await connection.answer()).toMatchObject({ status: 200 });
  expect(await exited).toBe(0);
  await using restarted = await startService(file.settings);
  expect(await (await fetch(`${restarted.url}/api/notes`)).json()).toMatchObject([{ title: 'sent in two halves' }]);
});

test('connections without a request do not keep the service from stopping', async () => {
  const service = await startService();
  const request = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
  using used = await connect(service.port);
  used.send(request);
  await used.answer();
  using unused = await connect(service.port);

  const exitCode = await service.stop('SIGTERM');

  expect(exitCode).toBe(0);
  expect(await used.answer()).toBe('closed');
  unused.send(request); // Linux shows a connection to the service with its first bytes, and the end of it likewise
  expect(await unused.answer()).toBe('closed');
});

async function refusesConnections(port: number): Promise<void> {
  for (;;) {
    try {
      using _ = await connect(port);
    } catch {
      return;
    }
  }
}
