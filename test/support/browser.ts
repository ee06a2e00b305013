/** A real browser for tests, from npm packages alone. */
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

/** `CHROME_PATH` replaces the packaged browser, which is unpacked on the first call. */
export const unpackBrowserIfNeeded = async () => process.env['CHROME_PATH'] ?? (await chromium.executablePath());

/** `extraArguments` replace those of the same name. */
export async function openBrowser(extraArguments: readonly string[] = []): Promise<Browser> {
  const executablePath = await unpackBrowserIfNeeded();
  const usual = ['--no-sandbox', '--headless=shell', '--disable-gpu', '--disable-dev-shm-usage'];
  const args = [...usual, ...extraArguments];
  const env = { ...process.env, FONTCONFIG_FILE: join(import.meta.dir, 'fonts.conf') };
  return playwright.launch({ executablePath, args, env, headless: true });
}

let shared: Promise<Browser> | undefined;

/** The one browser of all suites, which ends with the process; isolated by contexts. */
export const getSharedBrowser = () => (shared ??= openBrowser());
