/** Polls a condition; resolves to false if it does not become true within the seconds given. */
export async function eventually(isSo: () => boolean | Promise<boolean>, seconds = 30): Promise<boolean> {
  const deadline = performance.now() + seconds * 1_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) return false;
    await Bun.sleep(20);
  }
  return true;
}
