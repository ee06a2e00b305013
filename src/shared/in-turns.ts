/** So many are under way at once. */
const atOnce = 50;

/**
 * Does the same with each of many values, some at a time, and gives the results in order. Throws the first error once all that
 * was under way has ended.
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
