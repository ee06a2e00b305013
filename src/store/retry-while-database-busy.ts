import { isBusyError } from '../core/error.ts';

/** The pause between tries while another program holds the database, in ms. */
const pauseMs = 20;

/** Retries work that another program prevents (`busy`, with a cause), for up to `waitMs`. */
export async function retryWhileDatabaseBusy<Result>(waitMs: number, work: () => Promise<Result>): Promise<Result> {
  for (const until = performance.now() + waitMs; ; ) {
    try {
      return await work();
    } catch (error) {
      if (!isBusyError(error) || error.cause === undefined || performance.now() > until) throw error;
      await Bun.sleep(pauseMs);
    }
  }
}
