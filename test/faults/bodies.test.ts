/** Bodies around the size limit and far above it: stored byte for byte or refused, in bounded memory. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import * as message from '../../src/service/http/http-messages.ts';
import {
  type Connection,
  type MissingResponse,
  openConnection,
  type RawResponse,
} from '../support/http/raw-http-connection.ts';
import { createDraft } from '../support/sample-notes.ts';
import { pickByScale } from '../support/scale.ts';
import { readNoteBody, type Service, startService } from '../support/service.ts';
import { isLinux, readPeakMegabytes, readResidentMegabytes, resetPeakMemory } from '../support/system/process-facts.ts';
import { reportFigures } from './report.ts';

const limits = [1_000, 8 * 1024 * 1024];
/**
 * Copies of a maximal body that memory may hold: its text, on the way to disk, in lists, and garbage of two threads.
 * 200 bodies of 8 MB grew it by 364 MB at most, and 3 s later by none.
 */
const copies = 32;
const rounds = pickByScale(5, 1);
const framings = ['length', 'chunks'] as const;
type Framing = (typeof framings)[number];

const [start = '', end = ''] = JSON.stringify(createDraft({ content: '…' })).split('…');

/** The content of a note whose JSON has this many bytes, in characters of one to four bytes. */
function contentFor(bodyBytes: number): string {
  const bytes = bodyBytes - start.length - end.length;
  const characters = 'aé€🐎'; // 10 bytes
  return 'x'.repeat(bytes % 10) + characters.repeat(bytes / 10);
}

/** A body in pieces; bodies above the limit are never in memory as a whole. */
function* piecesOf(size: number, content: string | undefined): Generator<Uint8Array, void, void> {
  const maxPiece = 64 * 1024;
  const whole = content === undefined ? undefined : Buffer.from(start + content + end);
  const filler = Buffer.alloc(maxPiece, ' ');
  for (let at = 0; at < size; at += maxPiece) {
    yield whole ? whole.subarray(at, at + maxPiece) : filler.subarray(0, Math.min(maxPiece, size - at));
  }
}

interface Upload {
  readonly framing: Framing;
  readonly size: number;
  /** The content of the note; undefined for a body of spaces. */
  readonly content: string | undefined;
}

/** Sends a create as fast as it is read, then reads the response. */
async function send(
  connection: Connection,
  { framing, size, content }: Upload,
): Promise<RawResponse | MissingResponse> {
  const { socket, closed } = connection;
  const isChunked = framing !== 'length';
  const answer = connection.receiveResponse();
  const lengthLine = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${size}`;
  connection.send(
    `POST /api/notes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${lengthLine}\r\n\r\n`,
  );
  for (const piece of piecesOf(size, content)) {
    if (isChunked) connection.send(`${piece.length.toString(16)}\r\n`);
    const isTaken = socket.write(piece);
    if (isChunked) connection.send('\r\n');
    if (!isTaken) await Promise.race([once(socket, 'drain'), closed]);
    if (socket.destroyed) return answer;
  }
  if (isChunked) connection.send('0\r\n\r\n');
  return answer;
}

describe.each(limits)('where %d bytes are allowed', (limit) => {
  let service: Service;
  const grownMb: number[] = [];
  beforeAll(async () => {
    service = await startService({ MAX_BODY_BYTES: String(limit) });
  });
  afterAll(async () => {
    const most = Math.max(0, ...grownMb).toFixed(0);
    reportFigures(12, `limit ${limit}: ${grownMb.length} kinds of bodies, at most +${most} MB`);
    await service.stop();
  });

  /** Warms up, then runs `work` `rounds` times; fails if memory grows by more than a few bodies. */
  async function inBoundedMemory(work: () => Promise<void>): Promise<void> {
    await work();
    if (!isLinux) return;
    resetPeakMemory(service.process);
    const before = readResidentMegabytes(service.process);
    for (let round = 0; round < rounds; round++) await work();
    const grown = readPeakMegabytes(service.process) - before;
    grownMb.push(grown);
    expect(grown).toBeLessThan(8 + (copies * limit) / 1024 / 1024);
  }

  describe.each(framings)('a body by %s', (framing) => {
    test.each([limit - 1, limit])('of %d bytes is kept byte for byte', async (size) => {
      const content = contentFor(size);

      await inBoundedMemory(async () => {
        using connection = await openConnection(service.port);
        const answer = await send(connection, { framing, size, content });

        if (typeof answer === 'string') throw new Error(answer);
        expect(answer.status).toBe(200);
        const { id } = JSON.parse(answer.body);
        const kept = await readNoteBody(fetch(`${service.url}/api/notes/${id}`));
        expect(kept.content === content).toBe(true);
      });
    });

    test.each([limit + 1, 100 * limit])('of %d bytes is refused, and the service goes on', async (size) => {
      const content = size > limit + 1 ? undefined : contentFor(size);

      await inBoundedMemory(async () => {
        using connection = await openConnection(service.port);
        const answer = await send(connection, { framing, size, content });

        expect(answer).toMatchObject({
          status: 400,
          body: JSON.stringify({ error: message.formatBodyTooLarge(limit) }),
        });
        expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
      });
    });
  });
});
