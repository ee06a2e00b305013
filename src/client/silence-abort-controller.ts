/** Aborts a request when the service is silent for too long. The consumer may take any time between two chunks. */
export class SilenceAbortController extends AbortController {
  readonly #maxSilenceMs: number;

  constructor(maxSilenceMs: number) {
    super();
    this.#maxSilenceMs = maxSilenceMs;
  }

  /** Awaits something that the service sends; aborts the request if it takes too long. */
  async awaitAndAbortIfLate<Result>(arrival: Promise<Result>): Promise<Result> {
    const timer = setTimeout(() => this.abort(), this.#maxSilenceMs);
    return arrival.finally(() => clearTimeout(timer));
  }
}

/** Reads the body of a response in chunks. Ends the request when the consumer stops early. */
export async function* streamBodyChunks(
  { body }: Response,
  timeout: SilenceAbortController,
): AsyncGenerator<Uint8Array, void, void> {
  const reader = body?.getReader();
  try {
    for (;;) {
      const next = await timeout.awaitAndAbortIfLate(Promise.resolve(reader?.read()));
      if (next?.value === undefined) return;
      yield next.value;
    }
  } finally {
    timeout.abort();
  }
}
