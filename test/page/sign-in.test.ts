/** The page of a service with a token: signing in, an expired session, signing out. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { BrowserContext, Page } from 'playwright-core';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createJsonRequest, readNotesBody, type Service, startService } from '../support/service.ts';
import { findingsOn } from './findings.ts';
import { intercept, useStage } from './visit.ts';

const stage = useStage();
const token = 'correct-horse-battery';
const bearer = { Authorization: `Bearer ${token}` };
let service: Service;
beforeAll(async () => {
  service = await startService({ ACCESS_TOKEN: token });
  const post = createJsonRequest(createDraft({ title: 'Kept from strangers' }));
  await fetch(`${service.url}/api/notes`, { ...post, headers: { ...bearer, 'Content-Type': 'application/json' } });
});
afterAll(() => service[Symbol.asyncDispose]());

/** A browser without any state. */
async function newBrowser(settings = {}): Promise<AsyncDisposable & { context: BrowserContext; page: Page }> {
  const context = await stage.browser.newContext({ viewport: { width: 1440, height: 900 }, ...settings });
  const page = await context.newPage();
  return { context, page, [Symbol.asyncDispose]: () => context.close() };
}

async function signIn(page: Page, given = token): Promise<void> {
  await page.getByLabel('Access token').fill(given);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** A browser that has signed in. */
async function signedIn(settings = {}): ReturnType<typeof newBrowser> {
  const browser = await newBrowser(settings);
  await browser.page.goto(service.url);
  await signIn(browser.page);
  await kept(browser.page).waitFor();
  return browser;
}

const kept = (page: Page) => page.getByRole('link', { name: 'Kept from strangers' }).first();

test('the token leads to the requested page, and a wrong one does not', async () => {
  await using browser = await newBrowser();
  const { page, context } = browser;

  await page.goto(`${service.url}/?q=strangers`);
  const findings = await findingsOn(page, 'sign-in');
  await page.getByText('It is the ACCESS_TOKEN of this service').waitFor();
  const form = await page.locator('form').boundingBox();
  await signIn(page, 'a-wrong-access-token');
  await page.getByRole('alert').getByText('The access token is wrong').waitFor();
  expect(await page.locator('form').boundingBox()).toEqual(form);
  findings.push(...(await findingsOn(page, 'a wrong token')));
  await signIn(page);
  await kept(page).waitFor();

  expect(findings).toEqual([]);
  expect(new URL(page.url()).search).toBe('?q=strangers');
  expect(await page.evaluate(() => document.cookie)).toBe('');
  expect(await context.cookies()).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }]);
});

test('a link on another site leads to the notes, a form there changes nothing', async () => {
  await using browser = await signedIn();
  const { page } = browser;
  const foreign = `<a href="${service.url}/?q=kept">notes</a>
    <form method="post" action="${service.url}/sign-out"><button>go</button></form>`;
  await intercept(page, 'http://evil.example/', (route) => route.fulfill({ contentType: 'text/html', body: foreign }));

  await page.goto('http://evil.example/');
  await page.getByRole('button').click();
  await page.getByText('Origin is not allowed').waitFor();
  await page.goto('http://evil.example/');
  await page.getByRole('link').click();
  await kept(page).waitFor();

  expect(new URL(page.url()).search).toBe('?q=kept');
});

test('when the session ends during typing, the page asks for the token, and the typed text is saved', async () => {
  await using browser = await signedIn();
  const { page, context } = browser;

  await page.getByRole('button', { name: 'New' }).click();
  await page.getByLabel('Title').fill('Typed before');
  await page.getByLabel('Content').fill('and kept');
  await context.clearCookies();
  await page.keyboard.press('Control+Enter');
  await page.getByText('You are signed out').waitFor();
  const said = await page.getByText('Not saved:').textContent();
  await page.setViewportSize({ width: 390, height: 740 });
  const heights = await page
    .locator('dialog:modal input:visible, dialog:modal button:visible')
    .evaluateAll((controls) => controls.map((control) => control.getBoundingClientRect().height));
  await page.setViewportSize({ width: 1440, height: 900 });
  await signIn(page, 'a-wrong-access-token');
  await page.getByText('The access token is wrong').waitFor();
  const findings = await findingsOn(page, 'the end of a session');
  await signIn(page);
  await page.getByText('You are signed out').waitFor({ state: 'detached' });
  await page.getByLabel('Content').press('Control+Enter');

  const isStored = async () => {
    const notes = await readNotesBody(fetch(`${service.url}/api/notes`, { headers: bearer }));
    return notes.some(({ title, content }) => title === 'Typed before' && content === 'and kept');
  };
  expect(said).toStartWith('Not saved: The session has ended');
  expect(findings).toEqual([]);
  expect(heights.slice(-2)).toEqual([44, 44]);
  expect(await isEventuallyTrue(isStored)).toBe(true);
});

test('sign-out first counts the drafts that it would remove, and canceling keeps them', async () => {
  await using browser = await signedIn();
  const { page } = browser;
  await page.getByRole('button', { name: 'New' }).click();
  await page.getByLabel('Title').fill('Never sent');
  await page.keyboard.press('Escape');
  await page.getByText('Not saved: “Never sent”').waitFor();

  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('menuitem', { name: 'Settings and keys' }).click();
  await page.getByRole('link', { name: 'Sign out' }).click();
  await page.getByText('and 1 draft that is not saved').waitFor();
  const findings = await findingsOn(page, 'sign-out');
  await page.getByRole('link', { name: 'Back to the notes' }).click();

  await page.getByRole('list', { name: 'Not saved' }).getByText('Never sent').waitFor();
  expect(findings).toEqual([]);
});

test('after sign-out, no cache, no service worker and not the Back button shows a note', async () => {
  await using browser = await signedIn({ serviceWorkers: 'allow' });
  const { page, context } = browser;
  const worker = () =>
    page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.active?.state ?? 'none');
  expect(await isEventuallyTrue(async () => (await worker()) === 'activated')).toBe(true);

  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('menuitem', { name: 'Settings and keys' }).click();
  await page.getByRole('link', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Access token').waitFor();
  await page.goBack();
  await page.goto(service.url);
  await page.getByLabel('Access token').waitFor();

  expect(await page.content()).not.toContain('Kept from strangers');
  expect(await worker()).toBe('none');
  expect(await page.evaluate(async () => [await caches.keys(), await indexedDB.databases()])).toEqual([[], []]);
  expect(await context.cookies()).toEqual([]);
});
