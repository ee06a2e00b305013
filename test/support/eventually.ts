/** Waits for what nobody tells of; false when it does not come within 30 s. */
export async function eventually(isSo: () => boolean | Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + 30_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) return false;
    await Bun.sleep(20);
  }
  return true;
}
