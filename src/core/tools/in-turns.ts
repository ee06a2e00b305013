/** Calls in flight at once. */
const atOnce = 50;

/**
 * Calls `work` with each value, in concurrent groups, and yields the results in order. On an error, waits for the rest
 * of the group, then throws the first one.
 */
export async function* inTurns<Value, Result>(
  values: readonly Value[],
  work: (value: Value) => Promise<Result>,
): AsyncGenerator<Result, void, void> {
  for (let at = 0; at < values.length; at += atOnce) {
    for (const settled of await Promise.allSettled(values.slice(at, at + atOnce).map(work))) {
      if (settled.status === 'rejected') throw settled.reason;
      yield settled.value;
    }
  }
}
