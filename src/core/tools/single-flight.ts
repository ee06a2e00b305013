/** Calls made while one is under way share its promise. */
export function singleFlight<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let pending: Promise<Result> | undefined;
  return () => {
    pending ??= work().finally(() => {
      pending = undefined;
    });
    return pending;
  };
}
