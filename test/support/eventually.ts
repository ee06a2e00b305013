/** Polls a condition; resolves to false if it does not become true within 30 s. */
export async function eventually(isSo: () => boolean | Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + 30_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) return false;
    await Bun.sleep(20);
  }
  return true;
}
