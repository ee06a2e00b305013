/** Two people edit one note: no text is overwritten silently, and each may choose the result. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Note, NotePatch } from '../../src/core/note.ts';
import { eventually } from '../support/eventually.ts';
import { draft, jsonBody, noteIn, notesIn } from '../support/service.ts';
import { intercept, row, useStage } from './visit.ts';

const stage = useStage();
const address = (id: number) => `${stage.service.url}/api/notes/${id}`;
const stored = (id: number) => noteIn(fetch(address(id)));
const changeElsewhere = (id: number, patch: NotePatch) => noteIn(fetch(address(id), jsonBody({ id, ...patch }, 'PUT')));

const title = (page: Page) => page.getByLabel('Title', { exact: true });
const mine = (page: Page) => page.getByRole('region', { name: 'Mine' });
const theirs = (page: Page) => page.getByRole('region', { name: 'Theirs' });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const drafts = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('notes.draft')).length);

/** A note edited elsewhere and here, with a save that found the conflict. */
async function clash(): Promise<{ page: Page; note: Note }> {
  const [note] = await stage.add(draft({ title: 'Base', content: 'base text' }));
  if (!note) throw new Error('no note');
  const page = await stage.showList({ query: `?note=${note.id}`, forgiven: /412/ });
  await page.keyboard.press('e');
  await title(page).fill('Mine');
  await changeElsewhere(note.id, { content: 'their text' });
  await page.keyboard.press('Control+Enter');
  await mine(page).waitFor();
  return { page, note };
}

describe('12. Write: a note that was edited elsewhere', () => {
  test('is shown as mine and theirs, compared word by word; mine can be kept', async () => {
    const { page, note } = await clash();
    await mine(page).locator('ins').waitFor();
    const shown = [await mine(page).innerText(), await theirs(page).innerText()];
    const marked = [await mine(page).locator('ins').allInnerTexts(), await theirs(page).locator('del').allInnerTexts()];
    const before = await stored(note.id);

    await press(page, 'Keep mine');
    await page.getByText('Saved “Mine”').first().waitFor();

    expect(shown.map((text) => text.split(/\n+/))).toEqual([
      ['Mine', 'Title', 'Mine', 'Content', 'base text'],
      ['Theirs', 'Title', 'Base', 'Content', 'their text'],
    ]);
    expect(marked).toEqual([['base'], ['their']]);
    expect(before.content).toBe('their text');
    expect(await stored(note.id)).toMatchObject({ title: 'Mine', content: 'base text' });
    expect(await drafts(page)).toBe(0);
  });

  test('can be accepted: then the history has mine', async () => {
    const { page, note } = await clash();

    await press(page, 'Take theirs');
    await page.getByRole('button', { name: 'Take theirs' }).waitFor({ state: 'detached' });
    await page.locator('#detail').getByText('their text').waitFor();

    expect(await drafts(page)).toBe(0);
    expect(await stored(note.id)).toMatchObject({ title: 'Base', content: 'their text' });
    const versions = await notesIn(fetch(`${address(note.id)}/history`));
    expect(versions.map(({ title, content }) => [title, content])).toEqual([
      ['Mine', 'base text'],
      ['Base', 'their text'],
      ['Base', 'base text'],
    ]);
  });

  test('is compared again when it changes or is archived during the choice', async () => {
    const { page, note } = await clash();
    await changeElsewhere(note.id, { content: 'their second text' });
    await fetch(`${address(note.id)}/archive`, { method: 'PATCH' });

    await press(page, 'Keep mine');
    await page.getByText('the note was changed again').waitFor();
    const [text, alert] = [await theirs(page).innerText(), await page.getByRole('alert').innerText()];
    await press(page, 'Keep mine');
    await page.getByText('Saved “Mine”').first().waitFor();

    expect(text).toContain('their second text');
    expect(alert).toContain('archived now');
    expect(await stored(note.id)).toMatchObject({ title: 'Mine', content: 'base text', archived: true });
  });

  test('is no conflict when both wrote the same', async () => {
    const [note] = await stage.add(draft({ title: 'Same' }));
    if (!note) throw new Error('no note');
    const page = await stage.showList({ query: `?note=${note.id}`, forgiven: /412/ });
    await page.keyboard.press('e');
    await title(page).fill('Same again');
    await changeElsewhere(note.id, { title: 'Same again' });

    await page.keyboard.press('Control+Enter');
    await page.getByText('Saved “Same again”').first().waitFor();

    expect(await page.locator('.note-form').count()).toBe(0);
  });

  test.each(['before', 'after'])('is no conflict when it was only archived, %s the typing', async (when) => {
    const [note] = await stage.add(draft({ title: `Archived ${when}` }));
    if (!note) throw new Error('no note');
    const page = await stage.showList({ query: `?note=${note.id}`, forgiven: /412/ });
    const sent = Promise.withResolvers<void>();
    await intercept(page, '**/archive', async (route) => {
      await sent.promise;
      await route.continue();
    });
    await page.keyboard.press('e');

    if (when === 'after') await title(page).fill(`Typed ${when}`);
    await row(page, note).getByRole('link').focus();
    await page.keyboard.press('a');
    await row(page, note).waitFor({ state: 'detached' });
    if (when === 'before') await title(page).fill(`Typed ${when}`);
    const answered = page.waitForResponse('**/archive');
    sent.resolve();
    await answered;
    await title(page).press('Control+Enter');
    await page.getByText(`Saved “Typed ${when}”`).first().waitFor();

    expect(await mine(page).count()).toBe(0);
    expect(await stored(note.id)).toMatchObject({ title: `Typed ${when}`, archived: true });
  });

  test('does not pull the focus out of another form when the choice is answered', async () => {
    const { page, note } = await clash();
    const [other] = await stage.add(draft({ title: 'Meanwhile' }));
    if (!other) throw new Error('no note');
    await row(page, other).waitFor();
    const answer = Promise.withResolvers<void>();
    await intercept(page, '**/api/notes/*', async (route) => {
      await answer.promise;
      await route.continue();
    });

    await press(page, 'Keep mine');
    await row(page, other).getByRole('link').click();
    await page.locator('#detail h2', { hasText: 'Meanwhile' }).waitFor();
    await page.keyboard.press('e');
    await title(page).fill('Typing');
    await page.locator('.form-state', { hasText: /^Draft$/ }).waitFor();
    const before = [page.url(), await drafts(page)];
    answer.resolve();
    expect(await eventually(async () => (await drafts(page)) === 1)).toBe(true);

    expect(before).toEqual([`${stage.service.url}/?note=${other.id}`, 2]);
    expect([page.url(), await title(page).inputValue()]).toEqual([`${stage.service.url}/?note=${other.id}`, 'Typing']);
    expect(await stored(note.id)).toMatchObject({ title: 'Mine' });
  });
});
