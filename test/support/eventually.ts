/** Nothing in the tests is limited by time, except that a test that takes longer than this, in ms, hangs. */
export const hangsAfterMs = 300_000;

/** What a test waits for is given up after this time, in ms: early enough to say what it was. */
export const waitsForMs = 0.8 * hangsAfterMs;

/** Polls a condition; resolves to false if it does not become true within the time given, in ms. */
export async function isEventuallyTrue(
  isSo: () => boolean | Promise<boolean>,
  timeoutMs = waitsForMs,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) return false;
    await Bun.sleep(20);
  }
  return true;
}
