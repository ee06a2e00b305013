/** Long work gives way to other requests after this time, in ms. */
const sliceMs = 10;

/** Runs work to its end. It may be interrupted wherever it yields: other requests run after each slice. */
export async function runInSlices<Result>(work: Generator<void, Result, void>): Promise<Result> {
  let step = work.next();
  for (let since = performance.now(); !step.done; step = work.next()) {
    if (performance.now() - since < sliceMs) continue;
    await new Promise(setImmediate);
    since = performance.now();
  }
  return step.value;
}
