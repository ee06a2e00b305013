/** The metrics in a real Prometheus: `apt-get install prometheus` on Debian. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/postgres/server.ts';
import { draft, jsonBody, startService, temporaryFolder } from '../support/service.ts';

const isThere = Bun.which('prometheus') !== null && Bun.which('promtool') !== null;
if (!isThere) console.log('Prometheus is not tried: it is not installed');

const Answer = z.object({
  data: z.object({
    result: z.array(z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) })),
  }),
});

test.skipIf(!isThere)('promtool finds no problems in the metrics', async () => {
  await using service = await startService();
  await fetch(`${service.url}/api/notes`, jsonBody(draft()));
  const metrics = await (await fetch(`${service.url}/metrics`)).bytes();

  const { exitCode, stdout, stderr } = Bun.spawnSync(['promtool', 'check', 'metrics'], { stdin: metrics });

  expect([exitCode, stdout.toString(), stderr.toString()]).toEqual([0, '', '']);
});

test.skipIf(!isThere)(
  'Prometheus scrapes them',
  async () => {
    using folder = temporaryFolder();
    await using service = await startService();
    await fetch(`${service.url}/api/notes`, jsonBody(draft()));
    const config = join(folder.path, 'prometheus.yml');
    const targets = `static_configs: [{ targets: ['127.0.0.1:${service.port}'] }]`;
    writeFileSync(
      config,
      `scrape_configs: [{ job_name: notes, scrape_interval: 200ms, scrape_timeout: 200ms, ${targets} }]\n`,
    );
    const address = `127.0.0.1:${await freePort()}`;
    const flags = [
      `--config.file=${config}`,
      `--storage.tsdb.path=${folder.path}/data`,
      `--web.listen-address=${address}`,
    ];
    await using prometheus = Bun.spawn(['prometheus', ...flags], { stdout: 'ignore', stderr: 'ignore' });

    const ask = async (query: string) => {
      const answer = await fetch(`http://${address}/api/v1/query?${new URLSearchParams({ query })}`).catch(
        () => undefined,
      );
      return answer?.ok ? Answer.parse(await answer.json()).data.result[0] : undefined;
    };

    expect(await eventually(async () => (await ask('up'))?.value[1] === '1')).toBe(true);
    expect((await ask('notes_build_info'))?.metric).toMatchObject({ job: 'notes', commit: expect.any(String) });
    expect((await ask('notes_stored'))?.value[1]).toBe('1');
    expect(Number((await ask('process_resident_memory_bytes'))?.value[1])).toBeGreaterThan(1e6);
    expect(Number((await ask('time() - process_start_time_seconds'))?.value[1])).toBeWithin(0, 60);
    expect((await ask('notes_http_requests_total{method="POST"}'))?.metric['status']).toBe('200');
    prometheus.kill();
  },
  60_000,
);
