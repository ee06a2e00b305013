import { describe, expect, test } from 'bun:test';
import { type Restore, takeSteps } from './restore.ts';

/** Takes two first steps and two later ones; `during` acts in the step with this name. */
async function taken(name: string, during: (stop: () => void) => void) {
  const done: string[] = [];
  const stopping = new AbortController();
  const step = (own: string, isFirst: boolean) => ({
    isFirst,
    run() {
      if (own === name) during(() => stopping.abort(new Error('stopped')));
      done.push(own);
    },
  });
  const steps = [step('save', true), step('copy', true), step('remove', false), step('replace', false)];
  const restore: Pick<Restore, 'steps' | 'discardSaved'> = { steps, discardSaved: () => done.push('discardSaved') };
  const error = await takeSteps(restore, stopping.signal).catch(({ message }) => message);
  return { done, error };
}

describe('a restore', () => {
  test('that is stopped while nothing has changed removes its copy', async () => {
    expect(await taken('save', (stop) => stop())).toEqual({ done: ['save', 'discardSaved'], error: 'stopped' });
  });

  test.each(['copy', 'remove'])('that is stopped during "%s" is completed', async (name) => {
    const done = ['save', 'copy', 'remove', 'replace'];

    expect(await taken(name, (stop) => stop())).toEqual({ done, error: undefined });
  });

  test.each([
    ['copy', ['save', 'discardSaved']],
    ['remove', ['save', 'copy']],
  ])('that fails in "%s" leaves %p', async (name, done) => {
    const fail = () => {
      throw new Error('failed');
    };

    expect(await taken(name, fail)).toEqual({ done, error: 'failed' });
  });
});
