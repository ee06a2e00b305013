/** Listeners of `GET /api/events` that stop reading: the service does not buffer for them. */
import { expect, test } from 'bun:test';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createClient } from '../../src/client/client.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createJsonRequest, readNoteBody, type Service, startService } from '../support/service.ts';
import { isLinux, readResidentMegabytes } from '../support/system/process-facts.ts';

const listeners = 100;
/** The events sent, and the growth allowed meanwhile. Unbounded buffers would hold all events for each listener. */
const [sentMb, maxGrowthMb] = [48, 500];

/** A listener that stops reading after its first bytes. Once resumed, it keeps only the end of the stream. */
async function stalledListener({ port }: Service) {
  const state = { isEnded: false };
  let tail = '';
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('data', (bytes: Buffer) => {
    tail = (tail + bytes.toString('latin1')).slice(-100);
    state.isEnded ||= tail.endsWith('\r\n0\r\n\r\n');
  });
  await once(socket, 'connect');
  socket.write('GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(socket, 'data');
  socket.pause();
  return { state, socket };
}

/** A listener that reads everything. */
async function readingListener({ url }: Service) {
  const cursor = (await fetch(`${url}/api/notes`)).headers.get('notes-cursor') ?? '';
  const stopping = new AbortController();
  const received = { notes: 0, resets: 0 };
  const ended = (async () => {
    for await (const event of createClient(url).events({ cursor, signal: stopping.signal })) {
      received[event.kind === 'note' ? 'notes' : 'resets'] += 1;
    }
  })();
  return {
    received,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await ended;
    },
  };
}

/** Written at once, again and again. */
const [noteLength, noteCount] = [20_000, 32];

test.skipIf(!isLinux)('listeners that stall are disconnected, and hold no memory', async () => {
  await using service = await startService();
  const url = `${service.url}/api/notes`;
  const ids = Array.from({ length: noteCount }, (_, index) => index + 1);
  for (const id of ids) await readNoteBody(fetch(url, createJsonRequest(createDraft({ title: `${id}` }))));
  const stalled = await Promise.all(Array.from({ length: listeners }, () => stalledListener(service)));
  await using reading = await readingListener(service);
  const before = readResidentMegabytes(service.process);

  const rounds = Math.ceil((sentMb * 1024 * 1024) / (noteLength * noteCount));
  for (let round = 1; round <= rounds; round++) {
    const title = `${round}${'x'.repeat(noteLength)}`;
    await Promise.all(ids.map((id) => readNoteBody(fetch(`${url}/${id}`, createJsonRequest({ id, title }, 'PUT')))));
    await isEventuallyTrue(() => reading.received.notes >= round * noteCount);
  }
  const grownMb = readResidentMegabytes(service.process) - before;
  for (const { socket } of stalled) socket.resume();
  const areEnded = await isEventuallyTrue(() => stalled.every(({ state }) => state.isEnded));
  for (const { socket } of stalled) socket.destroy();

  expect(areEnded).toBe(true);
  expect(grownMb).toBeLessThan(maxGrowthMb);
  expect(reading.received.resets).toBe(0);
});
