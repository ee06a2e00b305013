/** Messages offer only what can be done, and cover nothing that a user needs. */
import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { createDraft } from '../support/sample-notes.ts';
import { contentField, intercept, phone, row, stopClock, useStage } from './visit.ts';

const stage = useStage();
const message = (page: Page, text: string) => page.locator('.message', { hasText: text });

test('the Undo of a change is gone once its note is changed again, and is back when that is undone', async () => {
  const [note] = await stage.add(createDraft({ title: 'Changed twice', content: 'one', color: 'neutral' }));
  const page = await stage.showList({ query: `?note=${note?.id}` });
  await page.locator('.detail-body').focus();

  await page.keyboard.press('e');
  await contentField(page).fill('two');
  await page.keyboard.press('Control+Enter');
  await message(page, 'Saved “Changed twice”').getByRole('button', { name: 'Undo' }).waitFor();
  await page.locator('.detail-body:focus').waitFor();
  await page.keyboard.press('e');
  await contentField(page).fill('three');
  await page.keyboard.press('Control+Enter');
  await page.locator('.detail-body', { hasText: 'three' }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  const more = await page.getByRole('button', { name: '1 more' }).count();
  await page.locator('.detail-body:focus').waitFor();
  await page.keyboard.press('z');
  await page.locator('.detail-body', { hasText: 'two' }).waitFor();
  await page.keyboard.press('z');
  await page.locator('.detail-body', { hasText: 'one' }).waitFor();

  expect(more).toBe(0);
});

test('a failure on a phone has the width for its text, and the button for others says what it shows if it can', async () => {
  await stage.add(createDraft({ title: 'A note with a title of several words' }));
  const page = await stage.showList({ forgiven: /Failed to load resource/ });
  const error = 'The database has no room for another version of it';
  await intercept(page, '**/archive', (route) => route.fulfill({ status: 500, json: { error } }));
  const failures = page.locator('.message', { hasText: 'was not archived' });
  const more = page.getByRole('button', { name: 'Show 1 more message' });

  await page.keyboard.press('a');
  await failures.waitFor();
  await page.locator('.at-cursor:focus').waitFor();
  await page.keyboard.press('a');
  await more.waitFor();
  const wide = await more.innerText();
  await page.setViewportSize(phone);
  const narrow = await more.innerText();
  const [text, retry] = await failures.evaluate((failure) =>
    ['.message-text', '.btn'].map((part) => failure.querySelector(part)?.getBoundingClientRect().toJSON()),
  );

  expect([wide, narrow]).toEqual(['1 more message', '1 more']);
  expect(text.width).toBeGreaterThan(0.8 * phone.width);
  expect(retry.top).toBeGreaterThanOrEqual(text.bottom);
});

test('a message that is older than its time does not come back when a newer one ends', async () => {
  const [note] = await stage.add(createDraft({ title: 'Pinned and copied' }));
  const page = await stage.showList({ query: `?note=${note?.id}` });
  await page.locator('.detail-body').focus();
  await stopClock(page);

  await page.keyboard.press('p');
  await message(page, 'Pinned “Pinned and copied”').hover();
  await page.clock.runFor(100);
  await page.keyboard.press('l');
  await message(page, 'Copied the link').waitFor();
  await page.getByRole('button', { name: 'Show 1 more message' }).waitFor();
  await page.clock.runFor(9_000);
  await page.mouse.move(0, 0);
  await page.clock.runFor(9_000);
  await message(page, 'Copied the link').waitFor({ state: 'detached' });

  expect(await page.locator('.message').count()).toBe(0);
});

test.each([
  ['a wide window', { viewport: { width: 1440, height: 900 } }],
  ['a tablet', { viewport: { width: 820, height: 1180 }, hasTouch: true, isMobile: true }],
  ['a phone', { viewport: phone, hasTouch: true, isMobile: true }],
])('messages stand above the hints, and the last row can be scrolled above them, in %s', async (_, options) => {
  const notes = await stage.add(...Array.from({ length: 30 }, (_, at) => createDraft({ title: `Row ${at}` })));
  await using visit = await stage.visit({ ...options, forgiven: /Failed to load resource/ });
  const { page } = visit;
  await page.route('**/api/**', (route) => route.abort());
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await page.locator('.banner', { hasText: 'The service does not answer' }).waitFor();
  await row(page, notes.at(-1) ?? { id: 0 }).waitFor();
  await page.locator('.top-bar').getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('menuitem', { name: 'Export all' }).click();
  await page.locator('.message').waitFor();

  await page.locator('.scroller').evaluate((scroller) => scroller.scrollTo(0, scroller.scrollHeight));
  const [top, bottom] = await page.evaluate(() => {
    const box = (selector: string) => [...document.querySelectorAll(selector)].map((e) => e.getBoundingClientRect());
    const lastRow = Math.max(...box('.row').map((row) => row.bottom));
    const hints = box('.list-foot').filter(({ height }) => height > 0);
    const covering = [...box('.message'), ...box('.banner')];
    const order = (one: DOMRect[], other: DOMRect[]) =>
      Math.min(...other.map(({ top }) => top)) - Math.max(...one.map(({ bottom }) => bottom));
    return [
      Math.min(...covering.map(({ top }) => top)) - lastRow,
      hints.length === 0 ? 0 : order(covering, hints),
      order(box('.message'), box('.banner')),
    ];
  });

  expect(top).toBeGreaterThanOrEqual(0);
  expect(bottom).toBeGreaterThanOrEqual(0);
});
