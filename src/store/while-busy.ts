import { NoteError } from '../core/error.ts';

const retryMs = 20;

/** Retries work that another program prevents (`busy`, with a cause), for up to `waitMs`. */
export async function whileBusy<Result>(waitMs: number, work: () => Promise<Result>): Promise<Result> {
  for (const until = performance.now() + waitMs; ; ) {
    try {
      return await work();
    } catch (error) {
      const isBusy = error instanceof NoteError && error.code === 'busy' && error.cause !== undefined;
      if (!isBusy || performance.now() > until) throw error;
      await Bun.sleep(retryMs);
    }
  }
}
