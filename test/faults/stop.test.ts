import { expect, test } from 'bun:test';
import { Load } from '../support/http/load.ts';
import { connect } from '../support/http/raw.ts';
import { seed, seeded } from '../support/random.ts';
import { longRunMs, scaled } from '../support/scale.ts';
import { draft, startService } from '../support/service.ts';
import { temporaryDatabase } from './database.ts';
import { report } from './report.ts';

const rounds = scaled(20, 3);

test(
  `${rounds} times stopped under load, the service answers every request that it was sent, and does nothing else`,
  async () => {
    using database = temporaryDatabase();
    const load = new Load(seeded(seed), 'failed');
    const unanswered: string[] = [];

    for (let round = 0; round < rounds; round++) {
      await using service = await startService(database.settings);
      const endings = await load.until(() => service.process.kill('SIGTERM'), service);
      unanswered.push(...endings.filter((ending) => ending !== 'closing'));
      expect(await service.process.exited).toBe(0);

      await using restarted = await startService(database.settings);
      await load.verify(restarted);
    }

    report(14, `${rounds} rounds, ${load.acknowledged} answered, ${unanswered.length} unanswered, exit code 0`);
    expect(unanswered).toEqual([]);
    expect([...load.answers.keys()]).toEqual([200]);
  },
  longRunMs,
);

test('a request half sent when the service gets SIGTERM is answered before it ends', async () => {
  using database = temporaryDatabase();
  const service = await startService(database.settings);
  using connection = await connect(service.port);
  const body = JSON.stringify(draft({ title: 'sent in two halves' }));
  const head = `POST /api/notes HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;

  connection.send(head + body.slice(0, 20));
  await fetch(`${service.url}/healthz`); // the service has read the bytes sent before
  const exited = service.stop('SIGTERM');
  await refusesConnections(service.port);
  connection.send(body.slice(20));

  expect(await connection.answer()).toMatchObject({ status: 200 });
  expect(await exited).toBe(0);
  await using restarted = await startService(database.settings);
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
  unused.send(request); // Linux reports a connection with its first bytes, and likewise its end
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
