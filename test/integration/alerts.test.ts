/** The alert rules of deploy/prometheus: their expressions are PromQL, on metrics and labels that a service reports. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { readConfigAndWarn } from '../../src/config/config.ts';
import type { Log } from '../../src/service/log.ts';
import { runService } from '../../src/service/run-service.ts';
import type { StopRequest } from '../../src/service/shutdown.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createJsonRequest, createTemporaryFolder } from '../support/service.ts';

const root = join(import.meta.dir, '..', '..');

interface Rule {
  readonly alert: string;
  readonly expr: string;
}

const rules: Rule[] = parse(await Bun.file(join(root, 'deploy', 'prometheus', 'alerts.yaml')).text(), {
  strict: true,
}).groups.flatMap((group: { rules: Rule[] }) => group.rules);

/** The texts of the parts of an expression that have one of these names in the grammar of PromQL. */
function findParts(expr: string, names: readonly string[]): string[] {
  const found: string[] = [];
  parser.parse(expr).iterate({
    enter: (node) => {
      if (names.includes(node.name) || (node.type.isError && names.includes('error')))
        found.push(expr.slice(node.from, node.to));
    },
  });
  return found;
}

/** What a service reports that has written, and has made its first backup. */
async function readMetrics(): Promise<string> {
  using home = createTemporaryFolder();
  const stopping = Promise.withResolvers<StopRequest>();
  const listening = Promise.withResolvers<string>();
  const info = (facts: { url?: string }) => void (facts.url && listening.resolve(facts.url));
  const log: Log = { level: 'info', debug() {}, info, warn() {}, error() {} };
  const config = readConfigAndWarn({ XDG_DATA_HOME: home.path, PORT: '0' });
  const ended = runService(config, log, stopping, { schedule: { firstMs: 0, everyMs: 60 * 60_000 } });
  const url = await listening.promise;
  await fetch(`${url}/api/notes`, createJsonRequest(createDraft()));
  const read = async () => (await fetch(`${url}/metrics`)).text();
  await isEventuallyTrue(async () => /^notes_backup_last_success_timestamp_seconds [^0]/m.test(await read()));
  const metrics = await read();
  stopping.resolve({ reason: 'the test is over' });
  await ended;
  return metrics;
}

const metrics = await readMetrics();

test.each(rules)('$alert is PromQL, on metrics and labels that a service reports', ({ expr }) => {
  const reported = [...metrics.matchAll(/^([a-z_]+)(?:\{(.*)\})? /gm)];
  const labels = reported.flatMap(([, , text = '']) => [...text.matchAll(/([a-z_]+)="/g)].map(([, label]) => label));
  const ofPrometheus = { metrics: ['up'], labels: ['job', 'instance', 'le'] };

  expect(findParts(expr, ['error'])).toEqual([]);
  const known = [...reported.map(([, name]) => name), ...ofPrometheus.metrics];
  expect(findParts(expr, ['Identifier']).filter((name) => !known.includes(name))).toEqual([]);
  const used = findParts(expr, ['LabelName']);
  expect(used.filter((label) => ![...labels, ...ofPrometheus.labels].includes(label))).toEqual([]);
  expect(used).toContain('job');
});

test('there is a rule for each condition that the documentation names', async () => {
  const page = await Bun.file(join(root, 'docs', 'operations', 'run.md')).text();
  const named = [...page.matchAll(/^- `(Notes\w+)`/gm)].map(([, name]) => name);

  expect(named).toEqual(rules.map(({ alert }) => alert));
});
