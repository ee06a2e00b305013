import { expect, test } from 'bun:test';
import { streamOrThrowOnAbort } from './interruption.ts';

test('a stream that is aborted throws the reason of the signal, and its source is closed', async () => {
  const abort = new AbortController();
  const source = { isClosed: false };
  async function* readValues(): AsyncGenerator<number> {
    try {
      yield 1;
      abort.abort(new Error('stopped'));
      yield 2;
      yield 3;
    } finally {
      source.isClosed = true;
    }
  }
  const received: number[] = [];
  const receiveAll = async () => {
    for await (const value of streamOrThrowOnAbort(readValues(), abort.signal)) received.push(value);
  };

  await expect(receiveAll()).rejects.toThrow('stopped');
  await Bun.sleep(0); // it is closed after the value that was asked for
  expect(received).toEqual([1]);
  expect(source.isClosed).toBe(true);
});
