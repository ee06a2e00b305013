/** Clients that send or read little or nothing: tolerated or disconnected in time, without harm to others. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { readMaxDescriptorsOrInfinity } from '../../src/service/http/metrics.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { beginListDownload, storeLongList } from '../support/http/long-list.ts';
import { openConnection } from '../support/http/raw-http-connection.ts';
import { createDraft } from '../support/sample-notes.ts';
import { isThorough, pickByScale } from '../support/scale.ts';
import {
  createJsonRequest,
  createTemporaryFolder,
  readNoteBody,
  type Service,
  startService,
} from '../support/service.ts';
import { countSockets, isLinux, readResidentMegabytes } from '../support/system/process-facts.ts';
import { openCrowd } from './load/crowd.ts';
import { getP99, measureResponseTimesMs, scaleMaxP99 } from './load/latency.ts';
import { printAndRecordSkippedFault, reportFigures } from './report.ts';

const head = (length: number) =>
  `POST /api/notes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
const halfHead = 'POST /api/notes HTTP/1.1\r\nHost: localhost\r\nContent-';
const halfBody = `${head(100_000)}{"title":"half`;

const crowds = [
  ['silent', pickByScale(2_500, 250), ''],
  ['kept alive', pickByScale(2_500, 250), 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ['half heads', pickByScale(5_000, 500), halfHead],
  ['half bodies', pickByScale(1_000, 100), halfBody],
] as const;
const crowded = crowds.reduce((sum, [, size]) => sum + size, 0);
const needed = crowded + 500;
const obstacle = findObstacle();
if (obstacle !== undefined) printAndRecordSkippedFault(13, obstacle);

function findObstacle(): string | undefined {
  if (!isLinux) return 'only Linux tells what a process has open';
  return readMaxDescriptorsOrInfinity() < needed ? `it needs ${needed} descriptors (ulimit -n)` : undefined;
}

if (!isThorough) printAndRecordSkippedFault(13, 'to see clients hung up on takes two minutes: TEST_SCALE=all does');

const watchedMs = pickByScale(10_000, 1_500);

/** Measures the response times of a list while crowds connect and stay, in ms. */
async function besides(url: string, crowds: Promise<unknown>): Promise<number[]> {
  let isOver = false;
  const ask = async () => expect((await fetch(url)).status).toBe(200);
  const probing = measureResponseTimesMs({ ask, isOver: () => isOver, pauseMs: 2 });
  await crowds;
  await Bun.sleep(watchedMs);
  isOver = true;
  return probing;
}

test.skipIf(obstacle !== undefined)(
  'thousands of idle and half requests at once keep nobody else waiting',
  async () => {
    await using service = await startService();
    const url = `${service.url}/api/notes`;
    await fetch(url, createJsonRequest(createDraft()));
    const [memory, connections] = [readResidentMegabytes(service.process), countSockets(service.process)];

    let most = 0;
    const counting = setInterval(() => {
      most = Math.max(most, countSockets(service.process) - connections);
    }, 500);
    const opening = Promise.all(crowds.map(([, size, bytes]) => openCrowd(service.port, size, bytes)));
    const latencies = await besides(url, opening);
    const grown = readResidentMegabytes(service.process) - memory;
    clearInterval(counting);
    const opened = await opening;
    const ends = isThorough ? await Promise.all(opened.map(({ allGone }) => allGone)) : [];
    for (const crowd of opened) crowd[Symbol.dispose]();
    const isEmpty = await isEventuallyTrue(() => countSockets(service.process) <= connections + 1); // the probe's

    const figures = [
      `${most} connections: +${grown.toFixed(0)} MB, p99 of ${latencies.length} others ${getP99(latencies).toFixed(1)} ms`,
      ...ends.map((seconds, index) => `${crowds[index]?.[0]} hung up on after ${seconds.toFixed(0)} s`),
    ];
    reportFigures(13, figures.join(', '));
    expect(most).toBeGreaterThanOrEqual(isThorough ? crowded / 2 : crowded); // the first are disconnected after 10 s
    expect(getP99(latencies)).toBeLessThanOrEqual(scaleMaxP99(100));
    expect(grown).toBeLessThanOrEqual(200);
    expect(isEmpty).toBe(true);
  },
);

const MB = 1024 * 1024;

/** Sends the start of a request, then pieces until it gets a response or is disconnected. */
async function trickle(port: number, start: string, piece: string, everyMs: number): Promise<string> {
  using connection = await openConnection(port);
  connection.send(start);
  const timer = setInterval(() => connection.send(piece), everyMs);
  const answer = await connection.receiveResponse().finally(() => clearInterval(timer));
  return typeof answer === 'string' ? answer : `${answer.status}`;
}

/** Uploads a note over this many seconds, and checks that it is stored byte for byte. */
async function uploadSlowly(service: Service, size: number, seconds: number): Promise<string> {
  const content = 'é€🐎x'.repeat(size / 10);
  const body = Buffer.from(JSON.stringify(createDraft({ content })));
  using connection = await openConnection(service.port);
  connection.send(head(body.length));
  const pieceBytes = Math.ceil(body.length / (seconds * 5));
  for (let at = 0; at < body.length; at += pieceBytes) {
    connection.send(body.subarray(at, at + pieceBytes));
    await Bun.sleep(200);
  }
  const answer = await connection.receiveResponse();
  if (typeof answer === 'string') return answer;
  const kept = await readNoteBody(fetch(`${service.url}/api/notes/${JSON.parse(answer.body).id}`));
  return kept.content === content ? 'complete' : `${answer.status}, another content`;
}

/** Reads a list at this rate, and checks that it arrived byte for byte. */
async function downloadSlowly(service: Service, query: string, bytesPerSecond: number): Promise<string> {
  const url = `${service.url}/api/notes`;
  const expected = Buffer.from(await (await fetch(`${url}${query}`)).arrayBuffer());
  using list = await beginListDownload(url, query);
  const bytes = await list.rest(Number.MAX_SAFE_INTEGER, bytesPerSecond / 1000);
  if (bytes === undefined) return 'cut off';
  return bytes.equals(expected) ? 'complete' : 'other bytes';
}

/** The slow client, what it does, how it ends, and the time limit in seconds. */
type Row = readonly [who: string, act: (services: Services) => Promise<string>, ending: string, withinS: number];

/** One with a long list, to which nothing is added, and an empty one. */
interface Services {
  readonly full: Service;
  readonly empty: Service;
}

const [kbUp, kbDown] = [pickByScale(20, 400), pickByScale(100, 4_000)];
const honest: readonly Row[] = [
  [`an upload of 1 MB at ${kbUp} KB/s`, ({ empty }) => uploadSlowly(empty, MB, 1_024 / kbUp), 'complete', 90],
  [
    `a list of 3 MB at ${kbDown} KB/s`,
    ({ full }) => downloadSlowly(full, '?archived=true', kbDown * 1_024),
    'complete',
    90,
  ],
  [`a list of 12 MB at ${kbDown} KB/s`, ({ full }) => downloadSlowly(full, '', kbDown * 1_024), 'complete', 180],
];
const endless: readonly Row[] = [
  ['a header of one byte in 9 s', ({ empty }) => trickle(empty.port, halfHead, 'x', 9_000), 'closed', 15],
  ['a body of one byte in 9 s', ({ empty }) => trickle(empty.port, halfBody, 'x', 9_000), 'closed', 150],
  ['a stalled body', ({ empty }) => trickle(empty.port, halfBody, '', 9_000), 'closed', 150],
  [
    'an upload that hangs in its middle',
    ({ empty }) => trickle(empty.port, head(MB) + 'x'.repeat(MB / 2), '', 9_000),
    'closed',
    150,
  ],
];

test(`slow clients are ${isThorough ? 'served, or hung up on in time' : 'served'}`, async () => {
  using folder = createTemporaryFolder();
  const path = join(folder.path, 'notes.db');
  await storeLongList(path, 9_000);
  await using full = await startService({ DATABASE_URL: `sqlite:${path}` });
  await using empty = await startService();
  const rows = isThorough && isLinux ? [...honest, ...endless] : honest;

  const endings = await Promise.all(
    rows.map(async ([who, act]) => {
      const started = performance.now();
      return { who, ending: await act({ full, empty }), seconds: (performance.now() - started) / 1000 };
    }),
  );

  reportFigures(
    13,
    endings.map(({ who, ending, seconds }) => `${who}: ${ending} after ${seconds.toFixed(0)} s`).join(', '),
  );
  expect(endings.map(({ who, ending }) => [who, ending])).toEqual(rows.map(([who, , ending]) => [who, ending]));
  for (const [index, [, , , withinS]] of rows.entries()) expect(endings[index]?.seconds).toBeLessThan(withinS);
});
