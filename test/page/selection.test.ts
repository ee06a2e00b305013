/** Selecting many notes, acting on all of them, and undoing that at once. */
import { describe, expect, test } from 'bun:test';
import { basename, join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Note, NoteDraft } from '../../src/core/note.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import {
  createJsonRequest,
  createTemporaryFolder,
  readNoteBody,
  readNotesBody,
  runNotesCommand,
} from '../support/service.ts';
import {
  atCursor,
  clipboard,
  intercept,
  leaveSearch,
  phone,
  row,
  type ShowOptions,
  titles,
  useStage,
} from './visit.ts';

const stage = useStage();
const url = (id: number) => `${stage.service.url}/api/notes/${id}`;
const stored = (id: number) => readNoteBody(fetch(url(id)));
const message = (page: Page, text: string) => page.getByRole('log').getByText(text);
const bar = (page: Page) => page.getByRole('region', { name: 'Selected notes' });

/** Leaves only these notes, the first one at the top. */
async function setNotes(drafts: readonly Partial<NoteDraft>[]): Promise<readonly Note[]> {
  const left = await readNotesBody(fetch(`${stage.service.url}/api/notes?archived=false`));
  await Promise.all(left.map(({ id }) => fetch(`${url(id)}/archive`, { method: 'PATCH' })));
  return (await stage.add(...drafts.map(createDraft).toReversed())).toReversed();
}

/** The shared page with only these notes. */
async function showWith(drafts: readonly Partial<NoteDraft>[], options?: ShowOptions) {
  const notes = await setNotes(drafts);
  return { notes, page: await stage.showList(options) };
}

const five = ['A', 'B', 'C', 'D', 'E'].map((title) => ({ title }));

const note = (notes: readonly Note[], index: number): Note => {
  const { [index]: found } = notes;
  if (!found) throw new Error(`no note ${index}`);
  return found;
};

/** The titles of the selected rows. */
const selected = async (page: Page): Promise<string> =>
  (await page.locator('.row[aria-selected=true] [data-title]').allInnerTexts()).toSorted().join('');

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

describe('Many at once: selecting', () => {
  test('a box on the icon of the row under the pointer selects it, and a long press of a finger; then taps do, until none is left', async () => {
    const mouse = await showWith(five);
    const rows = mouse.page.locator('.row');
    const boxes = () =>
      mouse.page
        .locator('.row-check')
        .evaluateAll((all) => all.filter((box) => box.checkVisibility({ visibilityProperty: true })).length);
    await rows.nth(1).hover();
    const hovered = await boxes();
    await rows.nth(1).getByRole('checkbox').click();
    await bar(mouse.page).waitFor();
    const selecting = await boxes();
    const all = await rows.count();

    await setNotes(five);
    await using touch = await stage.visitList({ viewport: phone, hasTouch: true, isMobile: true });
    const { page } = touch;
    const { x, y } = (await page.locator('.row-title').nth(2).boundingBox()) ?? { x: 0, y: 0 };
    const session = await touch.context.newCDPSession(page);
    await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: x + 20, y: y + 8 }] });
    await bar(page).waitFor();
    await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await page.locator('.row-title').nth(3).tap();
    await page.locator('.row[aria-selected=true]').nth(1).waitFor();
    const two = await page.locator('.row[aria-selected=true]').count();
    const archive = bar(page).getByText('Archive', { exact: true });
    const word = await archive.boundingBox();
    await archive.tap();
    await bar(page).waitFor({ state: 'detached' });
    await page.locator('.row-title').first().tap();

    expect(hovered).toBe(1);
    expect(selecting).toBe(all);
    expect(two).toBe(2);
    expect(word?.y).toBeGreaterThan(phone.height - 56);
    await page.locator('.detail-body').waitFor();
  });

  test('x toggles a note, Shift and an arrow extend or shrink a range, Esc ends it', async () => {
    const { page } = await showWith(five);
    const seen: string[] = [];
    const steps = ['x', 'Shift+ArrowDown', 'Shift+ArrowDown', 'Shift+ArrowUp', 'j', 'j', 'x', 'Shift+ArrowUp', 'x'];
    for (const key of steps) {
      await press(page, key);
      seen.push(await selected(page));
    }
    await bar(page).getByText('3 selected').waitFor();
    await press(page, 'Escape');
    await bar(page).waitFor({ state: 'detached' });

    expect(seen).toEqual(['A', 'AB', 'ABC', 'AB', 'AB', 'AB', 'ABD', 'ABCD', 'ABD']);
    expect([await selected(page), await atCursor(page)]).toEqual(['', 'C']);
  });

  test('a click with Ctrl toggles a note, one with Shift selects a range, from the open note too', async () => {
    const { page, notes } = await showWith(five);
    const click = (index: number, ...modifiers: ('Control' | 'Shift')[]) =>
      row(page, note(notes, index)).getByRole('link').click({ modifiers });
    const seen: string[] = [];
    await click(1);
    await click(3, 'Shift');
    seen.push(await selected(page));
    await click(0, 'Control');
    seen.push(await selected(page));
    await click(2, 'Control');
    seen.push(await selected(page));
    await click(4, 'Shift');
    seen.push(await selected(page));

    expect(seen).toEqual(['BCD', 'ABCD', 'ABD', 'ABCDE']);
    expect(page.context().pages().length).toBe(1);
    expect(new URL(page.url()).searchParams.get('note')).toBe(String(note(notes, 1).id));
  });

  test('a search or a filter deselects the notes that it hides', async () => {
    const { page, notes } = await showWith(
      five.map(({ title }, at) => ({ title, content: at < 2 ? 'left' : 'right' })),
    );
    await press(page, 'Control+a');
    await bar(page).getByText('5 selected').waitFor();

    await page.locator('#search').fill('left');
    await bar(page).getByText('2 selected').waitFor();
    await page.locator('#search').fill('');
    await row(page, note(notes, 4)).waitFor();

    expect(await selected(page)).toBe('AB');
  });

  test('screen readers learn that the list is multi-selectable, which rows are selected, and how many', async () => {
    const { page, notes } = await showWith(five);

    await press(page, 'x', 'Shift+ArrowDown');
    await bar(page).waitFor();

    expect(await page.getByRole('treegrid', { name: 'Notes' }).getAttribute('aria-multiselectable')).toBe('true');
    expect(await page.getByRole('row', { selected: true }).count()).toBe(2);
    expect(await row(page, note(notes, 1)).getByRole('link').innerText()).toContain(', selected');
    expect(await page.locator('p.sr-only[role=status]').innerText()).toBe('2 selected');
  });

  test('Ctrl+A selects the whole list, and no text', async () => {
    const { page } = await showWith([...five, { title: 'Other', category: 'css' }], { query: '?category=notes' });

    await press(page, 'Control+a');

    await bar(page).getByText('5 selected').waitFor();
    expect(await page.evaluate(() => String(getSelection()))).toBe('');
    expect(await bar(page).getByRole('button', { name: 'All', exact: true }).count()).toBe(0);
  });
});

describe('Many at once: acting', () => {
  test('a archives all, the cursor moves on, and one Undo restores all to their positions', async () => {
    const { page, notes } = await showWith(five);
    const times = () =>
      page.locator('.row time').evaluateAll((all) => all.map((time) => time.getAttribute('datetime')).sort());
    const before = await times();

    await press(page, 'j', 'x', 'Shift+ArrowDown', 'Shift+ArrowDown', 'a');
    await message(page, 'Archived 3 notes').waitFor();
    await page.locator('.at-cursor:focus').waitFor();
    const left = [await titles(page), await atCursor(page), await selected(page)];
    const archived = await Promise.all(notes.map(async ({ id }) => (await stored(id)).archived));
    await press(page, 'z');
    await message(page, 'Undone: archiving of 3 notes').waitFor();

    expect(left).toEqual([['A', 'E'], 'E', '']);
    expect(archived).toEqual([false, true, true, true, false]);
    expect(await titles(page)).toEqual(['A', 'B', 'C', 'D', 'E']);
    expect(await times()).toEqual(before);
    expect(await Promise.all(notes.map(({ id }) => stored(id)))).toMatchObject(five);
    expect(await atCursor(page)).toBe('B');
  });

  test('a click on Undo gives the focus back to the list', async () => {
    const { page } = await showWith(five);
    await press(page, 'x', 'Shift+ArrowDown', 'a');
    await message(page, 'Archived 2 notes').waitFor();

    await page.getByRole('button', { name: 'Undo' }).click();
    await message(page, 'Undone: archiving of 2 notes').waitFor();

    await page.locator('.at-cursor:focus').waitFor();
  });

  test('`7`, `g` and `c` with a digit change all of them, and one Undo reverts it', async () => {
    const common = { category: 'notes', group: 'first', color: 'primary' };
    const changes = [
      ['7', { category: 'bash-commands' }, 'Category bash-commands'],
      ['g 4', { group: 'fourth' }, 'Group fourth'],
      ['c 5', { color: 'info' }, 'Color info'],
    ] as const;
    const all: Partial<NoteDraft> = Object.assign({}, ...changes.map(([, patch]) => patch));
    const { page, notes } = await showWith([{ title: 'A' }, { title: 'B', ...all }, { title: 'C' }, { title: 'D' }]);
    await press(page, 'x', 'Shift+ArrowDown', 'Shift+ArrowDown');

    for (const [keys, patch, said] of changes) {
      const undone = `Undone: ${Object.keys(patch)[0]}`;
      await press(page, ...keys.split(' '));
      await message(page, `${said}: 2 notes`).waitFor();
      const changed = await Promise.all(notes.map(({ id }) => stored(id)));
      const stays = await selected(page);
      await press(page, 'z');
      await message(page, `${undone} of 2 notes`).waitFor();

      expect(changed).toMatchObject([patch, patch, patch, common]);
      expect(note(changed, 1).updatedAt).toBe(note(notes, 1).updatedAt);
      expect(stays).toBe('ABC');
      expect(await Promise.all([0, 2].map((at) => stored(note(notes, at).id)))).toMatchObject([common, common]);
      expect(await isEventuallyTrue(async () => (await titles(page)).join('') === 'ABCD')).toBe(true); // events may be late
      await message(page, `${undone} of 2 notes`).waitFor({ state: 'detached' }); // the next round waits for its own
    }
  });

  test('the bar changes category, group and color in a dialog; Esc leaves it, then the selection, for the row', async () => {
    const { page, notes } = await showWith(five);
    await press(page, 'x', 'Shift+ArrowDown');

    await bar(page).getByRole('button', { name: 'Category, group, color' }).click();
    await page.getByRole('dialog', { name: 'Change 2 notes' }).getByRole('button', { name: 'warning' }).click();

    await message(page, 'Color warning: 2 notes').waitFor();
    expect(await Promise.all([0, 1, 2].map(async (at) => (await stored(note(notes, at).id)).color))).toEqual([
      'warning',
      'warning',
      'primary',
    ]);
    await bar(page).getByRole('button', { name: 'Category, group, color' }).click();
    await page.getByRole('dialog').waitFor();
    await press(page, 'Escape', 'Escape');
    await page.locator('.at-cursor:focus').waitFor();
    expect(await selected(page)).toBe('');
  });

  test('on the board, Shift and an arrow move all of them', async () => {
    const { page } = await showWith(five, { query: '?view=board' });
    await page.locator('.at-cursor').focus();
    await press(page, 'x', 'Shift+ArrowDown', 'Shift+ArrowRight');

    await message(page, 'Group second: 2 notes').waitFor();

    expect(await page.locator('.board-column').nth(1).locator('.row').count()).toBe(2);
  });

  test('Enter copies all texts with a blank line between them, each in the way of its category', async () => {
    const { page } = await showWith([
      { title: 'A', content: '$ git status\n', category: 'bash-commands' },
      { title: 'B', content: 'two\n\n' },
      { title: 'C', content: 'three\r\n' },
      { title: 'D', content: 'for {{name}}\n' },
    ]);
    await press(page, 'Control+a', 'Enter');
    await message(page, 'Copied 4 notes with 1 blank').waitFor();
    const usual = await clipboard(page);
    await press(page, 'Shift+Enter');
    await message(page, 'Copied 4 notes byte for byte').waitFor();

    expect(usual).toBe('git status\n\ntwo\n\nthree\r\n\nfor {{name}}\n');
    expect(await clipboard(page)).toBe('$ git status\n\ntwo\n\nthree\r\n\nfor {{name}}\n');
  });

  /** Saves the download that `start` begins, imports it into an empty store, and returns what that has. */
  async function importDownload(page: Page, start: () => Promise<void>) {
    using folder = createTemporaryFolder();
    const download = page.waitForEvent('download');
    await start();
    const file = join(folder.path, (await download).suggestedFilename());
    await (await download).saveAs(file);
    const database = `${folder.path}/notes.db`;
    const imported = await runNotesCommand(['import', file, '--db', database]);
    const { stdout } = await runNotesCommand(['export', '-', '--db', database]);
    const notes = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    return { code: imported.code, name: basename(file), notes: notes.toSorted((one, other) => one.id - other.id) };
  }

  const byId = (notes: readonly Note[]) => notes.toSorted((one, other) => one.id - other.id);

  test('s exports some to an archive of Markdown that the import reads', async () => {
    const { page, notes } = await showWith([{ title: 'A', content: 'Ärger 😀\r\n' }, { title: 'B' }, { title: 'C' }]);
    await press(page, 'x', 'Shift+ArrowDown');

    const imported = await importDownload(page, () => press(page, 's'));

    expect(imported).toEqual({
      code: 0,
      name: expect.stringMatching(/^notes-.*\.zip$/),
      notes: byId(notes.slice(0, 2)),
    });
  });

  test('s exports one to a Markdown file that the import reads', async () => {
    const { page, notes } = await showWith([{ title: 'Only one', content: '# Ärger\r\n' }, { title: 'B' }]);

    const imported = await importDownload(page, () => press(page, 's'));

    const { id } = note(notes, 0);
    expect(imported).toEqual({ code: 0, name: `${id}-only-one.md`, notes: [note(notes, 0)] });
  });

  test('"Export all" of the menu has all notes, archived ones too', async () => {
    const { page, notes } = await showWith([{ title: 'A' }, { title: 'B' }]);
    await press(page, 'a'); // shown before it is stored
    await isEventuallyTrue(async () => (await stored(note(notes, 0).id)).archived);
    const all = await readNotesBody(fetch(`${stage.service.url}/api/notes`));

    const imported = await importDownload(page, async () => {
      await page.getByRole('button', { name: 'Menu' }).click();
      await page.getByRole('menuitem', { name: 'Export all' }).click();
    });

    expect(imported.notes).toEqual(byId(all));
  });

  test('"Export all" has the pins, and an export of selected notes, which may be for others, has none', async () => {
    const { page, notes } = await showWith([{ title: 'A' }, { title: 'B' }, { title: 'C' }]);
    const [first, , third] = notes;
    await press(page, 'p');
    await page.locator('.row-pin').waitFor();
    const pinned = await page.locator('a[href]:has(.row-pin) [data-title]').innerText();

    const ofSelected = await importDownload(page, () => press(page, 'Control+a', 's'));
    const ofAll = await importDownload(page, async () => {
      await page.getByRole('button', { name: 'Menu' }).click();
      await page.getByRole('menuitem', { name: 'Export all' }).click();
    });

    const pin = (imported: typeof ofAll) =>
      imported.notes.map((one) => [one.title, one.pin]).filter(([, place]) => place);
    expect([first?.title, third?.title]).toContain(pinned);
    expect(pin(ofAll)).toEqual([[pinned, 1]]);
    expect(pin(ofSelected)).toEqual([]);
  });

  test('keys in the open note act only on that note', async () => {
    const { page, notes } = await showWith(five);
    await press(page, 'x', 'Shift+ArrowDown', 'j', 'o');
    await page.locator('.detail-body:focus').waitFor();

    await press(page, 'a');

    await message(page, 'Archived “C”').waitFor();
    expect(await selected(page)).toBe('AB');
    expect((await stored(note(notes, 0).id)).archived).toBe(false);
  });

  test('the same key restores an archived selection', async () => {
    const { page, notes } = await showWith(five);
    await press(page, 'Control+a', 'a');
    await message(page, 'Archived 5 notes').waitFor();
    await page.goto(`${stage.service.url}/?archived=true`);
    await page.locator('.at-cursor').waitFor();
    await leaveSearch(page);

    await press(page, 'x', 'Shift+ArrowDown', 'a');

    await message(page, 'Unarchived 2 notes').waitFor();
    expect((await stored(note(notes, 0).id)).archived).toBe(false);
  });
});

describe('Many at once: failures', () => {
  test('notes changed elsewhere are not overwritten: a message names them, and they stay selected', async () => {
    const { page, notes } = await showWith(five, { hasEvents: false, forgiven: /412/ });
    await press(page, 'x', 'Shift+ArrowDown', 'Shift+ArrowDown');
    await fetch(url(note(notes, 1).id), createJsonRequest({ id: note(notes, 1).id, content: 'theirs' }, 'PUT'));

    await press(page, 'a');

    await message(page, '1 of 3 notes were not archived (“B”): it was changed again').waitFor();
    await page.getByRole('button', { name: 'Show 1 more message' }).waitFor(); // that two are archived
    expect(await selected(page)).toBe('B');
    expect(await stored(note(notes, 1).id)).toMatchObject({ archived: false, content: 'theirs' });
    await press(page, 'z');
    await message(page, 'Undone: archiving of 2 notes').waitFor();
  });

  test('Undo leaves notes that have changed since, and reports them', async () => {
    const { page, notes } = await showWith(five);
    await press(page, 'x', 'Shift+ArrowDown', '1');
    await message(page, 'Category css: 2 notes').waitFor();
    await fetch(url(note(notes, 1).id), createJsonRequest({ id: note(notes, 1).id, content: 'theirs' }, 'PUT'));
    await row(page, note(notes, 1)).getByText('theirs').waitFor();

    await press(page, 'z');

    await message(page, '1 of 2 notes were not changed back (“B”): it was changed again').waitFor();
    expect(await Promise.all([0, 1].map((at) => stored(note(notes, at).id)))).toMatchObject([
      { category: 'notes' },
      { category: 'css', content: 'theirs' },
    ]);
  });

  test('z waits for pending writes, and undoes all of them', async () => {
    const { page, notes } = await showWith(five);
    const answer = Promise.withResolvers<void>();
    await intercept(page, '**/archive', async (route) => {
      await answer.promise;
      await route.continue();
    });
    await press(page, 'x', 'Shift+ArrowDown', 'a', 'z');
    answer.resolve();

    await message(page, 'Undone: archiving of 2 notes').waitFor();
    expect(await Promise.all([0, 1].map(async (at) => (await stored(note(notes, at).id)).archived))).toEqual([
      false,
      false,
    ]);
  });

  test('at most five writes are in flight, and no more are sent once the service does not answer', async () => {
    const many = Array.from({ length: 20 }, (_, at) => ({ title: `Note ${at + 1}` }));
    const { page } = await showWith(many, { hasEvents: false, forgiven: /Failed to load/ });
    let sent = 0;
    const failure = Promise.withResolvers<void>();
    await intercept(page, '**/archive', async (route) => {
      sent++;
      await failure.promise;
      await route.abort();
    });
    await press(page, 'Control+a', 'a');
    await isEventuallyTrue(() => Promise.resolve(sent === 5));
    await bar(page).getByText('0 of 20 changed').waitFor();
    failure.resolve();
    await message(page, '20 of 20 notes were not archived (').waitFor();

    expect(sent).toBe(5);
    await bar(page).getByText('20 selected').waitFor();
  });
});
