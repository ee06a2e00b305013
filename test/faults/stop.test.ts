import { expect, test } from 'bun:test';
import { WriteLoad } from '../support/http/load.ts';
import { openConnection } from '../support/http/raw-http-connection.ts';
import { createSeededRandom, seed } from '../support/random.ts';
import { createDraft } from '../support/sample-notes.ts';
import { longRunMs, pickByScale } from '../support/scale.ts';
import { startService } from '../support/service.ts';
import { createTemporaryDatabase } from './database.ts';
import { reportFigures } from './report.ts';

const rounds = pickByScale(20, 3);

test(
  `${rounds} times stopped under load, the service answers every request that it was sent, and does nothing else`,
  async () => {
    using database = createTemporaryDatabase();
    const load = new WriteLoad(createSeededRandom(seed), 'failed');
    const unanswered: string[] = [];

    for (let round = 0; round < rounds; round++) {
      await using service = await startService(database.settings);
      const endings = await load.writeUntilStrike(() => service.process.kill('SIGTERM'), service);
      unanswered.push(...endings.filter((ending) => ending !== 'closing'));
      expect(await service.process.exited).toBe(0);

      await using restarted = await startService(database.settings);
      await load.assertListAndAdoptIt(restarted);
    }

    reportFigures(14, `${rounds} rounds, ${load.acknowledged} answered, ${unanswered.length} unanswered, exit code 0`);
    expect(unanswered).toEqual([]);
    expect([...load.answers.keys()]).toEqual([200]);
  },
  longRunMs,
);

test('a request half sent when the service gets SIGTERM is answered before it ends', async () => {
  using database = createTemporaryDatabase();
  const service = await startService(database.settings);
  using connection = await openConnection(service.port);
  const body = JSON.stringify(createDraft({ title: 'sent in two halves' }));
  const head = `POST /api/notes HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;

  connection.send(head + body.slice(0, 20));
  await fetch(`${service.url}/healthz`); // the service has read the bytes sent before
  const exited = service.stop('SIGTERM');
  await refusesConnections(service.port);
  connection.send(body.slice(20));

  expect(await connection.receiveResponse()).toMatchObject({ status: 200 });
  expect(await exited).toBe(0);
  await using restarted = await startService(database.settings);
  expect(await (await fetch(`${restarted.url}/api/notes`)).json()).toMatchObject([{ title: 'sent in two halves' }]);
});

test('connections without a request do not keep the service from stopping', async () => {
  const service = await startService();
  const request = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
  using used = await openConnection(service.port);
  used.send(request);
  await used.receiveResponse();
  using unused = await openConnection(service.port);

  const exitCode = await service.stop('SIGTERM');

  expect(exitCode).toBe(0);
  expect(await used.receiveResponse()).toBe('closed');
  unused.send(request); // Linux reports a connection with its first bytes, and likewise its end
  expect(await unused.receiveResponse()).toBe('closed');
});

async function refusesConnections(port: number): Promise<void> {
  for (;;) {
    try {
      using _ = await openConnection(port);
    } catch {
      return;
    }
  }
}
