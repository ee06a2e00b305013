/** What a page fetches while somebody else writes. */
import type { Browser } from 'playwright-core';
import { startRelay } from '../../test/support/relay.ts';
import { createJsonRequest, readNotesBody, type Service } from '../../test/support/service.ts';
import { viewport } from './stage.ts';

const seconds = 20;
const writesPerSecond = 10;

/**
 * The KB that a page gets in 20 s beside one writer who changes ten notes a second, by whatever connection, after it
 * has loaded all. Throws unless the page shows the last write.
 */
export async function measureKilobytesBesideWriter(browser: Browser, service: Service): Promise<number> {
  let bytes = 0;
  const count = (some: Buffer) => {
    bytes += some.length;
    return true;
  };
  using relay = await startRelay(() => service.port, { toClient: count });
  await using context = await browser.newContext({ viewport });
  const page = await context.newPage();
  const notes = (await readNotesBody(fetch(`${service.url}/api/notes`))).slice(-seconds * writesPerSecond);
  await page.goto(`http://127.0.0.1:${relay.port}`);
  await page.locator('[data-row]').first().waitFor();
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await waitForTwoQuietSeconds(() => bytes);
  const before = bytes;
  const began = performance.now();
  for (const [index, { id }] of notes.entries()) {
    await Bun.sleep(Math.max(0, began + (index * 1_000) / writesPerSecond - performance.now()));
    await fetch(
      `${service.url}/api/notes/${id}`,
      createJsonRequest({ id, title: `Written beside the page ${index}` }, 'PUT'),
    );
  }
  await page
    .getByText(`Written beside the page ${notes.length - 1}`)
    .first()
    .waitFor();
  return (bytes - before) / 1024;
}

/** Resolves when nothing has come for two seconds. */
async function waitForTwoQuietSeconds(bytes: () => number): Promise<void> {
  for (let before = -1; before !== bytes(); ) {
    before = bytes();
    await Bun.sleep(2_000);
  }
}
