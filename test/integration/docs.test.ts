/** The page at /docs in a real browser: it renders, examples run, and it keeps to its content security policy. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { createOpenApiDocument } from '../../src/service/http/docs/openapi-document.ts';
import { getSharedBrowser } from '../support/browser.ts';
import { readNotesBody, type Service, startService } from '../support/service.ts';

let browser: Browser;
let service: Service;
beforeAll(async () => {
  [browser, service] = await Promise.all([getSharedBrowser(), startService()]);
});
afterAll(() => service[Symbol.asyncDispose]());

/** Opens the page and collects its errors and the hosts that it requests. */
async function openDocs(): Promise<{ page: Page; complaints: string[]; hosts: Set<string> }> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const complaints: string[] = [];
  const hosts = new Set<string>();
  page.on('console', (said) => {
    if (said.type() === 'error') complaints.push(said.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).host);
  });
  await page.goto(`${service.url}/docs`);
  await page.getByText('Create a note').waitFor();
  return { page, complaints, hosts };
}

/** The operations of the document: each method of each path. */
const operations = Object.values(createOpenApiDocument()['paths'] as object).flatMap((methods: object) =>
  Object.keys(methods).filter((name) => name !== 'parameters'),
);

test('shows every operation, contacts no other host and violates no policy', async () => {
  const { page, complaints, hosts } = await openDocs();

  expect(await page.locator('.opblock').count()).toBe(operations.length);
  expect(await page.getByRole('heading', { name: /^Notes/ }).count()).toBe(1);
  expect([...hosts]).toEqual([new URL(service.url).host]);
  expect(complaints).toEqual([]);
  await page.close();
});

test('creates a note when its example is run', async () => {
  const { page, complaints } = await openDocs();
  await page.locator('#operations-notes-createNote .opblock-summary-control').click();
  await page.getByRole('button', { name: 'Try it out' }).click();

  await page.getByRole('button', { name: 'Execute' }).click();

  await page.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor();
  const notes = await readNotesBody(fetch(`${service.url}/api/notes`));
  expect(notes.map((note) => note.content)).toEqual(['git reset --soft HEAD~1']);
  expect(complaints).toEqual([]);
  await page.close();
});

test('is dark where the system is', async () => {
  const { page } = await openDocs();

  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.reload();
    await page.getByText('Create a note').waitFor();

    expect(await page.locator('html.dark-mode').count()).toBe(colorScheme === 'dark' ? 1 : 0);
  }
  await page.close();
});
