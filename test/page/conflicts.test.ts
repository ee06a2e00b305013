/** Two people edit one note: no text is overwritten silently, and each may choose the result. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Note, NotePatch } from '../../src/core/note.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createJsonRequest, readNoteBody, readNotesBody } from '../support/service.ts';
import { contentField, desktop, goOnByKeys, intercept, phone, row, useStage } from './visit.ts';

const stage = useStage();
const address = (id: number) => `${stage.service.url}/api/notes/${id}`;
const stored = (id: number) => readNoteBody(fetch(address(id)));
const changeElsewhere = (id: number, patch: NotePatch) =>
  readNoteBody(fetch(address(id), createJsonRequest({ id, ...patch }, 'PUT')));

const title = (page: Page) => page.getByLabel('Title', { exact: true });
const mine = (page: Page) => page.getByRole('region', { name: 'Mine' });
const theirs = (page: Page) => page.getByRole('region', { name: 'Theirs' });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const drafts = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('notes.draft')).length);

/** A note edited elsewhere and here, with a save that found the conflict. */
async function clash(): Promise<{ page: Page; note: Note }> {
  const [note] = await stage.add(createDraft({ title: 'Base', content: 'base text' }));
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
    await mine(page).locator('mark').waitFor();
    const shown = [await mine(page).innerText(), await theirs(page).innerText()];
    const marked = [
      await mine(page).locator('mark').allInnerTexts(),
      await theirs(page).locator('mark').allInnerTexts(),
    ];
    const colors = await page
      .locator('.differences mark')
      .evaluateAll((marks) => marks.map((mark) => getComputedStyle(mark).backgroundColor));
    const before = await stored(note.id);

    await press(page, 'Keep mine');
    await page.getByText('Saved “Mine”').first().waitFor();

    expect(shown.map((text) => text.split(/\n+/))).toEqual([
      ['Mine, not saved', 'Title', 'Mine', 'Content', 'base text'],
      ['Theirs, saved now', 'Title', 'Base', 'Content', 'their text'],
    ]);
    expect(marked).toEqual([['base'], ['their']]);
    expect(colors[0]).toBe(colors[1] ?? '');
    expect(before.content).toBe('their text');
    expect(await stored(note.id)).toMatchObject({ title: 'Mine', content: 'base text' });
    expect(await drafts(page)).toBe(0);
  });

  test.each(['heading', 'pane', 'row'])(
    'is not decided by what is typed on, wherever the focus is, and no other note is changed: %s',
    async (place) => {
      const { page, note } = await clash();
      const others = await stage.add(createDraft({ title: 'Other' }));
      await page.getByRole('heading', { name: 'Mine or theirs?' }).and(page.locator(':focus')).waitFor();
      if (place === 'pane') await page.locator('#detail').focus();
      if (place === 'row')
        await row(page, others[0] ?? { id: 0 })
          .locator('[data-row]')
          .focus();

      for (const key of ['m', 't', 'b', 'n', 'e', 'a', 'p', 'x', '1', 'Enter', ' ', 'Delete'])
        if (place !== 'row' || key !== 'Enter') await page.keyboard.press(key);
      const isAsked = await theirs(page).isVisible();
      const before = await stored(note.id);
      await page.getByRole('heading', { name: 'Mine or theirs?' }).focus();
      const reached: unknown[] = [];
      while (reached.at(-1) !== 'Keep mine' && reached.length < 8) {
        await page.keyboard.press('Tab');
        reached.push(await page.evaluate(() => document.activeElement?.textContent));
      }
      await page.keyboard.press('Enter');
      await page.getByText('Saved “Mine”').first().waitFor();

      expect([isAsked, reached.at(-1)]).toEqual([true, 'Keep mine']);
      expect(before).toMatchObject({ title: 'Base', content: 'their text', archived: false });
      expect(await stored(note.id)).toMatchObject({ title: 'Mine', archived: false, category: note.category });
      expect(await stored(others[0]?.id ?? 0)).toMatchObject({ archived: false });
    },
  );

  test('asks about what was typed until it was found, too', async () => {
    const [note] = await stage.add(createDraft({ title: 'Late', content: 'one' }));
    if (!note) throw new Error('no note');
    const page = await stage.showList({ query: `?note=${note.id}`, forgiven: /412/ });
    const gate = Promise.withResolvers<void>();
    await page.keyboard.press('e');
    await contentField(page).fill('one, mine');
    await changeElsewhere(note.id, { content: 'one, theirs' });
    await intercept(page, '**/api/notes/*', async (route) => {
      if (route.request().method() === 'PUT') await gate.promise;
      await route.continue();
    });
    await page.keyboard.press('Control+S');
    await page.locator('.form-state', { hasText: 'Saving' }).waitFor();
    await page.keyboard.type(' and more');
    gate.resolve();
    await mine(page).getByText('one, mine and more').waitFor();
    await press(page, 'Keep mine');
    await page.getByText('Saved “Late”').first().waitFor();

    expect(await stored(note.id)).toMatchObject({ content: 'one, mine and more' });
    expect(await drafts(page)).toBe(0);
  });

  test('can be accepted: then the history has mine', async () => {
    const { page, note } = await clash();

    await press(page, 'Take theirs');
    await page.getByRole('button', { name: 'Take theirs' }).waitFor({ state: 'detached' });
    await page.locator('#detail').getByText('their text').waitFor();

    expect(await drafts(page)).toBe(0);
    expect(await stored(note.id)).toMatchObject({ title: 'Base', content: 'their text' });
    const versions = await readNotesBody(fetch(`${address(note.id)}/history`));
    expect(versions.map(({ title, content }) => [title, content])).toEqual([
      ['Mine', 'base text'],
      ['Base', 'their text'],
      ['Base', 'base text'],
    ]);
  });

  test('can be merged if the changes do not touch: then both are stored', async () => {
    const { page, note } = await clash();

    await press(page, 'Keep both');
    await page.getByText('Saved “Mine”').first().waitFor();
    await page.locator('#detail').getByText('their text').waitFor();

    expect(await stored(note.id)).toMatchObject({ title: 'Mine', content: 'their text' });
    expect(await drafts(page)).toBe(0);
  });

  test('can be merged after a reload too, line by line with the version that the draft was made from', async () => {
    const [note] = await stage.add(createDraft({ title: 'Recipe', content: 'flour\nwater\nsalt\n' }));
    if (!note) throw new Error('no note');
    const page = await stage.showList({ query: `?note=${note.id}`, forgiven: /412/ });
    await page.keyboard.press('e');
    await contentField(page).fill('rye flour\nwater\nsalt\n');
    await page.locator('.form-state', { hasText: /^Draft$/ }).waitFor();
    await changeElsewhere(note.id, { content: 'flour\nwater\nsea salt\n' });
    await page.reload();
    await page.getByRole('button', { name: 'Continue' }).first().click();

    await press(page, 'Keep both');
    await page.getByText('Saved “Recipe”').first().waitFor();

    expect((await stored(note.id)).content).toBe('rye flour\nwater\nsea salt\n');
    expect(await drafts(page)).toBe(0);
  });

  test('can be merged by hand if the changes touch: the form opens with both, and nothing is saved before', async () => {
    const [note] = await stage.add(createDraft({ title: 'Shopping', content: 'tea\nmilk\nbread\n' }));
    if (!note) throw new Error('no note');
    const page = await stage.showList({ query: `?note=${note.id}`, forgiven: /412/ });
    await page.keyboard.press('e');
    await contentField(page).fill('green tea\nmilk\nbread\n');
    await changeElsewhere(note.id, { content: 'black tea\nmilk\nrye bread\n' });
    await page.keyboard.press('Control+Enter');
    const both = page.getByRole('button', { name: 'Keep both', exact: true });
    const description = await both.getAttribute('title');
    await both.click();
    await page.getByText('Both versions are in this text').waitFor();
    const shown = await contentField(page).inputValue();
    const before = await stored(note.id);
    await page.reload();
    await page.locator('.detail-body').getByText('rye bread').waitFor();
    await page.getByRole('button', { name: 'Continue' }).first().click();
    await page.locator('.form-state', { hasText: /^Draft$/ }).waitFor();
    const continued = await contentField(page).inputValue();
    await contentField(page).fill('black or green tea\nmilk\nrye bread\n');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Saved “Shopping”').first().waitFor();

    expect(description).toContain('theirs first, to edit and save');
    expect(shown).toBe('black tea\ngreen tea\nmilk\nrye bread\n');
    expect(continued).toBe(shown);
    expect(before.content).toBe('black tea\nmilk\nrye bread\n');
    expect((await stored(note.id)).content).toBe('black or green tea\nmilk\nrye bread\n');
    expect(await drafts(page)).toBe(0);
  });

  test('asks nothing if the newer version has my changes already', async () => {
    const [note] = await stage.add(createDraft({ title: 'Shared', content: 'one\ntwo\nthree\n' }));
    if (!note) throw new Error('no note');
    const page = await stage.showList({ query: `?note=${note.id}`, forgiven: /412/ });
    await page.keyboard.press('e');
    await contentField(page).fill('ONE\ntwo\nthree\n');
    await changeElsewhere(note.id, { content: 'ONE\ntwo\nTHREE\n' });
    await page.keyboard.press('Control+Enter');
    await page.getByText('“Shared” already has your changes').first().waitFor();
    await page.locator('.note-form').waitFor({ state: 'detached' });

    expect(await mine(page).count()).toBe(0);
    expect(await drafts(page)).toBe(0);
    expect((await readNotesBody(fetch(`${address(note.id)}/history`))).length).toBe(1);
  });

  test.each([phone, desktop])(
    'the buttons are in sight however long the texts are, and these scroll with the pane, %j',
    async (viewport) => {
      const text = Array.from({ length: 80 }, (_, n) => `line ${n}`).join('\n');
      const [note] = await stage.add(createDraft({ title: 'Long', content: text }));
      if (!note) throw new Error('no note');
      const page = await stage.showList({ query: `?note=${note.id}`, forgiven: /412/, viewport });
      await page.keyboard.press('e');
      await contentField(page).fill(text.replaceAll('line', 'my line'));
      await changeElsewhere(note.id, { content: text.replaceAll('line', 'their line') });
      await page.keyboard.press('Control+s');
      await mine(page).getByText('my line 79').waitFor();
      const box = await page.getByRole('button', { name: 'Take theirs', exact: true }).boundingBox();
      const scrolling = await page
        .locator('.differences *')
        .evaluateAll((all) => all.filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1).length);

      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(viewport.height);
      expect(box?.y).toBeGreaterThan(viewport.height / 2);
      expect(scrolling).toBe(0);
    },
  );

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
    const [note] = await stage.add(createDraft({ title: 'Same' }));
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
    const [note] = await stage.add(createDraft({ title: `Archived ${when}` }));
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
    const [other] = await stage.add(createDraft({ title: 'Meanwhile' }));
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
    await goOnByKeys(page);
    await page.keyboard.press('e');
    await title(page).fill('Typing');
    await page.locator('.form-state', { hasText: /^Draft$/ }).waitFor();
    const before = [page.url(), await drafts(page)];
    answer.resolve();
    expect(await isEventuallyTrue(async () => (await drafts(page)) === 1)).toBe(true);

    expect(before).toEqual([`${stage.service.url}/?note=${other.id}`, 2]);
    expect([page.url(), await title(page).inputValue()]).toEqual([`${stage.service.url}/?note=${other.id}`, 'Typing']);
    expect(await stored(note.id)).toMatchObject({ title: 'Mine' });
  });
});
