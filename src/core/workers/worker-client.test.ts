import { expect, test } from 'bun:test';
import { SampleError, sampleCodec } from '../../../test/support/workers/sample-error.ts';
import type { SampleMethods } from '../../../test/support/workers/sample-worker.ts';
import { NoteError } from '../error.ts';
import { WorkerClient, WorkerError } from './worker-client.ts';

const workerUrl = new URL('../../../test/support/workers/sample-worker.ts', import.meta.url);

/** A client of the sample worker, and how many workers it has started. */
function createClient(options: { readonly maxWaiting?: number; readonly onCrash?: () => void } = {}) {
  const started: Worker[] = [];
  const startWorker = () => {
    const worker = new Worker(workerUrl);
    started.push(worker);
    return worker;
  };
  return { client: new WorkerClient<SampleMethods>({ ...options, startWorker, codecs: [sampleCodec] }), started };
}

/** The reason of a failure; the class and message of other errors. */
const describeFailure = (settled: PromiseSettledResult<unknown>) => {
  if (settled.status === 'fulfilled') return settled.value;
  const { reason } = settled;
  return reason instanceof WorkerError ? reason.reason : `${reason.name}: ${reason.message}`;
};

test('requests run one after the other in the same worker, which starts with the first', async () => {
  const { client, started } = createClient();
  using _client = client;
  const startedBefore = started.length;

  const results = await Promise.all([
    client.request('wait', [20]),
    client.request('countCalls', []),
    client.request('add', [1, 2]),
    client.request('countCalls', []),
  ]);

  expect(results).toEqual([20, 1, 3, 2]);
  expect([startedBefore, started.length]).toEqual([0, 1]);
});

test('buffers move to the worker and back', async () => {
  const { client } = createClient();
  using _client = client;
  const bytes = new Uint8Array(3);

  const filled = await client.request('fill', [bytes], { moved: [bytes.buffer] });

  expect([...filled]).toEqual([1, 1, 1]);
  expect(bytes.byteLength).toBe(0);
});

test('errors are thrown with their class, fields, cause and stack', async () => {
  const { client } = createClient();
  using _client = client;
  const fail = (kind: Parameters<SampleMethods['fail']>[0]) => client.request('fail', [kind]).catch((error) => error);

  const note = await fail('note');
  const sample = await fail('sample');

  expect(note).toBeInstanceOf(NoteError);
  expect(note).toMatchObject({ code: 'busy', message: 'Too busy', outcome: 'unknown', retry: false });
  expect(note.cause).toBeInstanceOf(NoteError);
  expect(note.stack).toContain('sample-worker.ts');
  expect(sample).toBeInstanceOf(SampleError);
  expect(sample).toMatchObject({ message: 'A sample', line: 7 });
  expect(await fail('syntax')).toBeInstanceOf(SyntaxError);
  expect(await fail('other')).toEqual(new Error('Of no codec'));
  expect(await fail('text')).toEqual(new Error('A text'));
});

test('what cannot be copied fails alone', async () => {
  const { client } = createClient();
  using _client = client;

  const outcomes = await Promise.allSettled([
    client.request('add', [(() => 1) as unknown as number, 2]),
    client.request('returnFunction', []),
    client.request('add', [1, 2]),
  ]);

  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});

test.each([
  ['exits', 'exit', 'crashed'],
  ['throws outside of a request', 'throwLater', 'crashed'],
  ['takes too long', 'loop', 'timed-out'],
] as const)(
  'when a worker %s, only the request that runs fails, and another worker runs the next',
  async (_, method, reason) => {
    const { client, started } = createClient();
    using _client = client;

    const outcomes = await Promise.allSettled([
      client.request('countCalls', []),
      method === 'throwLater'
        ? client.request(method, []).then(() => client.request('wait', [60_000]))
        : client.request(method, [], { timeoutMs: 200 }),
    ]);
    const next = await client.request('countCalls', []);

    expect([...outcomes.map(describeFailure), next]).toEqual([1, reason, 1]);
    expect(started).toHaveLength(2);
  },
);

test('when a worker cannot be loaded, all requests fail, and its owner hears of it', async () => {
  let crashes = 0;
  using client = new WorkerClient<SampleMethods>({
    startWorker: () => new Worker(new URL('./no-such-worker.ts', import.meta.url)),
    onCrash: () => crashes++,
  });

  const outcomes = await Promise.allSettled([client.request('countCalls', []), client.request('countCalls', [])]);

  expect(outcomes.map(describeFailure)).toEqual(['crashed', 'crashed']);
  expect(crashes).toBe(1);
});

test('an aborted request rejects at once, and its worker goes on if it ends soon', async () => {
  const { client, started } = createClient();
  using _client = client;
  const abort = new AbortController();
  await client.request('countCalls', []);

  const { signal } = abort;
  const requests = [client.request('wait', [10], { signal }), client.request('countCalls', [], { signal })];
  abort.abort(new Error('Not needed'));
  const outcomes = await Promise.allSettled(requests);

  expect(outcomes.map(describeFailure)).toEqual(['Error: Not needed', 'Error: Not needed']);
  expect(await client.request('countCalls', [])).toBe(2);
  expect(started).toHaveLength(1);
});

test('a worker that goes on with an aborted request is ended', async () => {
  const { client, started } = createClient();
  using _client = client;
  const abort = new AbortController();
  await client.request('countCalls', []);

  const looping = client.request('loop', [], { signal: abort.signal });
  abort.abort(new Error('Not needed'));
  const outcomes = await Promise.allSettled([looping, client.request('countCalls', [])]);

  expect(outcomes.map(describeFailure)).toEqual(['Error: Not needed', 1]);
  expect(started).toHaveLength(2);
});

test('requests beyond the limit are rejected, and a stop rejects all, after which another worker starts', async () => {
  const { client, started } = createClient({ maxWaiting: 1 });
  using _client = client;

  const requests = [client.request('loop', []), client.request('countCalls', []), client.request('countCalls', [])];
  client.stopAndRejectAll();
  const outcomes = await Promise.allSettled(requests);

  expect(outcomes.map(describeFailure)).toEqual(['stopped', 'stopped', 'busy']);
  expect(await client.request('countCalls', [])).toBe(1);
  expect(started).toHaveLength(2);
});

test('a closed client starts no worker', async () => {
  const { client, started } = createClient();

  client.close(new NoteError('busy', 'Closed'));

  expect(describeFailure((await Promise.allSettled([client.request('countCalls', [])]))[0])).toBe('NoteError: Closed');
  expect(started).toHaveLength(0);
});
