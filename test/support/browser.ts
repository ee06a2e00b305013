/** A real browser for tests, from npm packages alone. */
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

/** `CHROME_PATH` names another browser than the packaged one. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env['CHROME_PATH'] ?? (await chromium.executablePath());
  const args = ['--no-sandbox', '--headless=shell', '--disable-gpu', '--disable-dev-shm-usage'];
  return playwright.launch({ executablePath, args, headless: true });
}
