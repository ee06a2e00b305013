/** Notes disappear from the list at once when archived, and Undo restores them at once. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Note } from '../../src/core/note.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createJsonRequest, readNoteBody } from '../support/service.ts';
import { goOnByKeys, intercept, row, stopClock, titles, useStage } from './visit.ts';

const stage = useStage();
const stored = (id: number) => readNoteBody(fetch(`${stage.service.url}/api/notes/${id}`));
const undo = (page: Page) => page.getByRole('button', { name: 'Undo' });
const focusedRow = (page: Page) =>
  page.evaluate(() => document.activeElement?.querySelector('[data-title]')?.textContent ?? document.activeElement?.id);

/** Each test has its own category, so that its list holds only its notes. */
async function three(category: Note['category']): Promise<{ newest: Note; middle: Note; oldest: Note; query: string }> {
  const titles = ['Oldest', 'Middle', 'Newest'];
  const [oldest, middle, newest] = await stage.add(...titles.map((title) => createDraft({ title, category })));
  if (!oldest || !middle || !newest) throw new Error('no notes');
  return { newest, middle, oldest, query: `?category=${category}` };
}

describe('13. Write: archiving', () => {
  test('removes the row at once and moves to the next one, to the last one, and to the empty list', async () => {
    const { newest, query } = await three('css');
    const page = await stage.showList({ query });
    const answer = Promise.withResolvers<void>();
    await intercept(page, '**/archive', async (route) => {
      await answer.promise;
      await route.continue();
    });
    const seen: (string | undefined)[] = [];

    await row(page, newest).getByRole('link').focus();
    for (const left of [2, 1, 0]) {
      await page.keyboard.press('a');
      await page.waitForFunction((count) => document.querySelectorAll('.row').length === count, left);
      seen.push(await focusedRow(page));
    }
    const before = await stored(newest.id);
    answer.resolve();

    expect(seen).toEqual(['Middle', 'Oldest', 'count']);
    expect(before.archived).toBe(false);
    expect(await isEventuallyTrue(async () => (await stored(newest.id)).archived)).toBe(true);
  });

  test('of the last hit of a search selects its words, which others replace', async () => {
    await stage.add(createDraft({ title: 'Quokka one' }), createDraft({ title: 'Quokka two' }));
    const page = await stage.showList({ query: '?q=quokka' });
    const seen: (string | undefined)[] = [];

    for (const left of [1, 0]) {
      await page.keyboard.press('a');
      await page.waitForFunction((count) => document.querySelectorAll('.row').length === count, left);
      seen.push(await focusedRow(page));
    }
    await page.keyboard.type('x');

    expect(seen).toEqual(['Quokka one', 'search']);
    expect(await page.locator('#search').inputValue()).toBe('x');
  });

  test('is undone by the button and, step by step, by `z`, which focus the restored note', async () => {
    const { newest, middle, oldest, query } = await three('prompts');
    const page = await stage.showList({ query });
    await row(page, newest).getByRole('link').focus();

    await page.keyboard.press('a');
    await page.keyboard.press('a');
    await page.keyboard.press('a');
    await undo(page).last().click();
    await row(page, oldest).locator('a:focus').waitFor();
    await goOnByKeys(page);
    await page.keyboard.press('z');
    await page.getByRole('log').getByText('Undone: archiving of “Middle”').waitFor();
    await row(page, middle).locator('a:focus').waitFor();
    await page.keyboard.press('z');
    await row(page, newest).locator('a:focus').waitFor();

    expect(await titles(page)).toEqual(['Newest', 'Middle', 'Oldest']);
    const isBack = async () =>
      (await Promise.all([newest, middle, oldest].map(({ id }) => stored(id)))).every((note) => !note.archived);
    expect(await isEventuallyTrue(isBack)).toBe(true);
    expect(await undo(page).count()).toBe(0);
  });

  test('ends in the last state, however quickly it is toggled', async () => {
    const { newest, query } = await three('host-town');
    const page = await stage.showList({ query });
    const sent: string[] = [];
    const bothPressed = Promise.withResolvers<void>();
    await intercept(page, '**/{archive,unarchive}', async (route) => {
      sent.push(route.request().url().split('/').at(-1) ?? '');
      await bothPressed.promise;
      await route.continue();
    });
    await row(page, newest).getByRole('link').focus();

    await page.keyboard.press('a');
    await page.keyboard.press('z');
    bothPressed.resolve();
    await row(page, newest).waitFor();
    await page.waitForFunction(
      () => performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('archive')).length === 2,
    );

    expect(sent).toEqual(['archive', 'unarchive']);
    expect((await stored(newest.id)).archived).toBe(false);
    await row(page, newest).waitFor();
  });

  test("keeps another person's edit when it is undone", async () => {
    const { newest, query } = await three('chat-tool');
    const page = await stage.showList({ query });
    await row(page, newest).getByRole('link').focus();
    await page.keyboard.press('a');
    await undo(page).waitFor();
    const url = `${stage.service.url}/api/notes/${newest.id}`;
    expect(await isEventuallyTrue(async () => (await stored(newest.id)).archived)).toBe(true);
    await fetch(url, createJsonRequest({ id: newest.id, content: 'theirs' }, 'PUT'));

    await page.keyboard.press('z');

    await row(page, newest).getByText('theirs').waitFor();
    expect(await isEventuallyTrue(async () => !(await stored(newest.id)).archived)).toBe(true);
    expect((await stored(newest.id)).content).toBe('theirs');
  });

  test('is rolled back visibly when it fails, and can be retried', async () => {
    const { newest, query } = await three('editor-chats');
    const page = await stage.showList({ query, forgiven: /Failed to load resource/ });
    const fail = '**/archive';
    const refusal = { status: 500, headers: { 'Notes-Outcome': 'none' }, json: { error: 'Die Notiz wurde abgelehnt' } };
    await intercept(page, fail, (route) => route.fulfill(refusal));
    await row(page, newest).getByRole('link').focus();

    await page.keyboard.press('a');
    await page.getByText('“Newest” was not archived: Die Notiz wurde abgelehnt').waitFor();
    const back = await titles(page);
    const focused = await focusedRow(page);
    const undos = await undo(page).count();
    await page.unroute(fail);
    await page.getByRole('button', { name: 'Retry' }).click();
    await row(page, newest).waitFor({ state: 'detached' });

    expect([back, focused, undos]).toEqual([['Newest', 'Middle', 'Oldest'], 'Newest', 0]);
    expect(await isEventuallyTrue(async () => (await stored(newest.id)).archived)).toBe(true);
  });

  test('can be undone for 10 s, which pause under the pointer or the focus', async () => {
    const { newest, query } = await three('bash-commands');
    await using visit = await stage.visitList({ query });
    const { page } = visit;
    await stopClock(page);
    await row(page, newest).getByRole('link').focus();

    await page.keyboard.press('a');
    await undo(page).waitFor();
    await page.clock.runFor(200); // effects run after a frame
    await page.clock.fastForward(9_000);
    const after9s = await undo(page).count();
    const box = await undo(page).boundingBox();
    await page.mouse.move((box?.x ?? 0) + 5, (box?.y ?? 0) + 5);
    await page.clock.runFor(200);
    await page.clock.fastForward(60_000);
    const hovered = await undo(page).count();
    await undo(page).focus();
    await page.mouse.move(0, 0);
    await page.clock.runFor(200);
    await page.clock.fastForward(60_000);
    const focused = await undo(page).count();
    await page.locator('#search').focus();
    await page.clock.runFor(200);
    await page.clock.fastForward(9_000);
    const left = await undo(page).count();
    await page.clock.fastForward(1_500);
    await undo(page).waitFor({ state: 'detached' });

    expect([after9s, hovered, focused, left]).toEqual([1, 1, 1, 1]);
    expect(await isEventuallyTrue(async () => (await stored(newest.id)).archived)).toBe(true);
  });

  test('Undo shows the note again that was open beside the list', async () => {
    const { newest } = await three('host-town');
    const page = await stage.showList({ query: `?category=host-town&note=${newest.id}` });
    const shown = page.locator('#detail h2', { hasText: newest.title });
    await shown.waitFor();

    await page.locator('.at-cursor').press('a');
    await shown.waitFor({ state: 'detached' });
    await page.keyboard.press('z');
    await page.locator('.at-cursor', { hasText: newest.title }).waitFor();
    await shown.waitFor(); // the pane has the former note until this one is rendered

    expect(await shown.count()).toBe(1);
  });

  test('shows what is stored when it fails, and when its Undo fails', async () => {
    const { newest, query } = await three('notes');
    await using visit = await stage.visitList({ query, forgiven: /Failed to load resource/ });
    const { page } = visit;
    const failure = Promise.withResolvers<void>();
    await intercept(page, '**/api/notes', (route) => route.abort());
    await intercept(page, '**/{archive,unarchive}', async (route) => {
      await failure.promise;
      await route.abort();
    });
    await row(page, newest).getByRole('link').focus();

    await page.keyboard.press('a');
    await row(page, newest).waitFor({ state: 'detached' });
    await page.keyboard.press('z');
    await row(page, newest).waitFor();
    failure.resolve();
    await page.getByText('“Newest” was not unarchived').waitFor();

    expect(await titles(page)).toEqual(['Newest', 'Middle', 'Oldest']);
    expect((await stored(newest.id)).archived).toBe(false);
  });
});
