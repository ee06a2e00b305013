/**
 * Random requests over raw sockets. Each response is valid or a known error, reveals no internals, and exactly the
 * writes answered with 200 are stored.
 */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { Note } from '../../src/core/note.ts';
import { leak } from '../support/http/leak.ts';
import { type Connection, openConnection, type RawResponse } from '../support/http/raw-http-connection.ts';
import { pickByScale } from '../support/scale.ts';
import { type Service, startService } from '../support/service.ts';
import { encodeRequest, type FuzzedRequest, fuzzedRequest, knownMethods } from './load/requests.ts';
import { reportFigures } from './report.ts';

const requests = pickByScale(10_000, 500);
const maxTogether = 20;

const StrictNote = z.strictObject(Note.shape);
const Notes = z.array(StrictNote);
const Problem = z.strictObject({ error: z.string().check(z.minLength(1)) });
const Probe = z.object({ status: z.enum(['alive', 'ready']) });
const OpenApi = z.object({ openapi: z.string() });
const Reply = z.union([Notes, StrictNote, Probe, OpenApi]);

/** The responses of the runtime itself, without a body, before it closes the connection. */
const byRuntime = [400, 413, 431, 505];
const isByRuntime = ({ status, body }: RawResponse) => body === '' && byRuntime.includes(status);

/** Whether nothing may follow a response: after CONNECT, the runtime may treat the connection as a tunnel. */
const isLast = (answer: RawResponse, method: string) =>
  method === 'CONNECT' || isByRuntime(answer) || answer.headers.get('connection') === 'close';

function describeAnswer(answer: RawResponse | string, method: string): string {
  if (typeof answer === 'string') return answer;
  return `${answer.status}${isByRuntime(answer) && method !== 'HEAD' ? ' empty' : ''}`;
}

/** Sends requests and tracks what must be stored. */
class Fuzzer implements AsyncDisposable {
  readonly counts = new Map<string, number>();
  /** The notes answered with 200, by id. */
  #stored = new Map<number, Note>();
  readonly #service: Service;
  #connection: Connection | undefined;

  constructor(service: Service) {
    this.#service = service;
  }

  /** Sends requests sequentially, on one connection while the service keeps it open. */
  async run(batch: readonly FuzzedRequest[]): Promise<void> {
    try {
      for (const request of batch) await this.#send(request);
      expect(await this.#listed()).toEqual([...this.#stored.values()]);
    } finally {
      // Report a contradiction once: the shrunk batches after it start from the current state.
      this.#hangUp();
      this.#stored = new Map((await this.#listed()).map((note) => [note.id, note]));
    }
  }

  async #send(request: FuzzedRequest): Promise<void> {
    this.#connection ??= await openConnection(this.#service.port);
    this.#connection.send(encodeRequest(request));
    const silence = Bun.sleep(4_000).then(() => 'silence' as const);
    const { method } = request.call;
    const answer = await Promise.race([this.#connection.receiveResponse(method), silence]);
    this.#count(describeAnswer(answer, method));
    if (typeof answer === 'string') {
      this.#hangUp();
      expect({ answer, isKnown: isKnown(method) }).toEqual({ answer: 'closed', isKnown: false });
      return;
    }
    if (isLast(answer, method)) this.#hangUp();
    this.#keep(request, judge(request, answer));
  }

  #keep({ call: { method, body } }: FuzzedRequest, reply: unknown): void {
    const note = StrictNote.safeParse(reply);
    if (method === 'GET' || !note.success) return;
    if (method === 'POST') expect(JSON.parse(Buffer.from(body ?? []).toString())).toMatchObject(sentFields(note.data));
    this.#stored.set(note.data.id, note.data);
  }

  async #listed(): Promise<Note[]> {
    return Notes.parse(await (await fetch(`${this.#service.url}/api/notes`)).json());
  }

  #count(outcome: string): void {
    this.counts.set(outcome, (this.counts.get(outcome) ?? 0) + 1);
  }

  #hangUp(): void {
    this.#connection?.[Symbol.dispose]();
    this.#connection = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#hangUp();
  }
}

const isKnown = (method: string) => knownMethods.some((known) => known === method);

const sentFields = ({ title, content, category, group, color }: Note) => ({ title, content, category, group, color });

/** Fails unless the interface documents the response. Returns its parsed body; undefined if empty. */
function judge(request: FuzzedRequest, answer: RawResponse): unknown {
  const { status, headers, body } = answer;
  const forbidden = request.headers.includes('Origin: https://a.example') ? [403] : [];
  expect([200, 304, 400, 404, 412, ...forbidden, ...byRuntime]).toContain(status);
  if (status !== 200 && !leak.test(encodeRequest(request).toString())) {
    expect(`${[...headers].join('\n')}\n${body}`).not.toMatch(leak);
  }
  if (request.call.method === 'HEAD' || status === 304) expect(body).toBe('');
  if (request.call.method === 'HEAD' && request.call.path === '/api/notes' && status === 200)
    expect(headers.get('content-length')).not.toBe('0');
  if (body === '' || !headers.get('content-type')?.startsWith('application/json')) return undefined;
  const schema = status === 200 ? Reply : Problem;
  return schema.parse(JSON.parse(body));
}

test(`${requests} requests at random do no harm`, async () => {
  await using service = await startService();
  await using fuzzer = new Fuzzer(service);

  await fc.assert(
    fc.asyncProperty(fc.array(fuzzedRequest, { minLength: 1, maxLength: maxTogether, size: 'max' }), (batch) =>
      fuzzer.run(batch),
    ),
    { numRuns: Math.ceil(requests / (maxTogether / 2)) },
  );

  reportFigures(
    17,
    `${[...fuzzer.counts]
      .toSorted()
      .map(([outcome, count]) => `${count} x ${outcome}`)
      .join(', ')}`,
  );
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  expect(service.log).toHaveLength(1);
});
