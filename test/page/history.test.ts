/** Saved texts are never lost: the page shows earlier versions, reverts to them, and undoes the last save. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Note, NoteDraft, NotePatch } from '../../src/core/note.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createJsonRequest, readNoteBody, readNotesBody } from '../support/service.ts';
import { intercept, leaveSearch, openAndWait, row, stopClock, tablet, titles, useStage } from './visit.ts';

const stage = useStage();
const address = (id: number) => `${stage.service.url}/api/notes/${id}`;
const stored = (id: number) => readNoteBody(fetch(address(id)));
const history = (id: number) => readNotesBody(fetch(`${address(id)}/history`));
const change = (id: number, patch: NotePatch) =>
  readNoteBody(fetch(address(id), createJsonRequest({ id, ...patch }, 'PUT')));

/** A note with these saved states, the last of which is its current one. */
async function noteWith(first: Partial<NoteDraft>, ...patches: readonly NotePatch[]): Promise<Note> {
  const [note] = await stage.add(createDraft(first));
  if (!note) throw new Error('no note');
  let last = note;
  for (const patch of patches) last = await change(note.id, patch);
  return last;
}

const dialog = (page: Page) => page.getByRole('dialog');
const versions = (page: Page) => dialog(page).getByRole('option');
const message = (page: Page, text: string) => page.getByRole('log').getByText(text);

/** The lines of the diff, each with its sign, and the marked words in brackets. */
const lines = (page: Page) =>
  page.locator('.diff-line').evaluateAll((lines) =>
    lines.map((line) => {
      const [sign, , text] = line.children;
      const parts = [...(text?.childNodes ?? [])].map((part) =>
        /DEL|INS/.test(part.nodeName) ? `[${part.textContent}]` : part.textContent,
      );
      return `${sign?.textContent} ${parts.join('')}`;
    }),
  );

/**
 * Begins to count the processor time of the page's tasks, which other programs do not make longer. The result reads how
 * many seconds these were.
 */
async function countTaskSeconds(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    await session.detach();
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  };
}

const shows = (page: Page, text: string) => page.locator('.diff-line', { hasText: text }).first().waitFor();

/** Opens a note and its history. */
async function openHistory(page: Page, note: Note): Promise<void> {
  await openAndWait(page, `${stage.service.url}/?note=${note.id}`);
  await page.locator('.detail-body').press('h');
  await versions(page).first().waitFor();
}

describe('Show: the history of a note', () => {
  test('lists the present and earlier versions with time and changes, and shows the diff to the current note', async () => {
    const note = await noteWith(
      { title: 'House', content: 'one\na big house\n', color: 'info' },
      { content: 'one\na small house\n' },
      { title: 'Home', content: 'one\na small house\ntwo\n', color: 'error' },
    );
    const page = await stage.showList();

    await openHistory(page, note);
    await shows(page, 'two');
    const newest = await lines(page);
    await page.keyboard.press('j');
    await shows(page, 'big');
    const oldest = await lines(page);

    const [time] = await versions(page)
      .locator('time')
      .evaluateAll((times) => times.map((time) => time.getAttribute('title')));
    expect(await versions(page).locator('time').first().innerText()).toBe('Current');
    expect(time).toMatch(/20\d\d, \d\d:\d\d/);
    expect(await versions(page).locator('.muted').allInnerTexts()).toEqual([
      'title, content, color',
      'content',
      'created',
    ]);
    expect(newest).toEqual(['− House', '+ Home', ' one', ' a small house', '+ two']);
    expect(oldest).toEqual(['− House', '+ Home', ' one', '− a [big] house', '+ a [small] house', '+ two']);
    expect(await page.locator('.differences p', { hasText: 'color' }).innerText()).toBe('Color info error');
    expect(await page.locator('.differences p').first().innerText()).toBe(
      '− old: this version\n+ new: the current note',
    );
  });

  test('is navigated by keys, stops at the ends, and Esc restores the focus', async () => {
    const note = await noteWith({ content: 'first' }, { content: 'second' }, { content: 'third' });
    const page = await stage.showList({ query: `?note=${note.id}` });
    await row(page, note).getByRole('link').focus();
    const chosen = () => dialog(page).locator('[aria-selected=true]').getAttribute('id');

    await page.keyboard.press('h');
    await versions(page).first().waitFor();
    const seen = [await chosen()];
    for (const key of ['k', 'j', 'ArrowDown', 'ArrowUp', 'ArrowUp']) {
      await page.keyboard.press(key);
      await page.evaluate(() => new Promise(requestAnimationFrame));
      seen.push(await chosen());
    }
    const active = await dialog(page).getByRole('listbox').getAttribute('aria-activedescendant');
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });

    const [present, newest, oldest] = [note, ...(await history(note.id))].map(
      ({ updatedAt }) => `version-${updatedAt}`,
    );
    expect(seen).toEqual([newest, present, newest, oldest, newest, present].map((id) => id ?? ''));
    expect(active).toBe(present ?? '');
    await page.locator(`[data-row="${note.id}"]:focus`).waitFor();
  });

  test('compares two earlier versions: by Shift and an arrow, Shift or Ctrl and a click, or a button', async () => {
    const note = await noteWith({ content: 'one' }, { content: 'two' }, { content: 'three' }, { content: 'four' });
    const page = await stage.showList();
    await openHistory(page, note);
    await shows(page, 'four');
    const legend = () => page.locator('.differences p').first().innerText();
    const compare = page.getByRole('button', { name: /^Compare/ });
    const revert = page.getByRole('button', { name: 'Revert to this version' });

    await page.keyboard.press('Shift+ArrowDown');
    await shows(page, 'two');
    const byKey = [await lines(page), await revert.count()];
    const times = await legend();
    await page.keyboard.press('j');
    await shows(page, 'one');
    const further = await lines(page);
    await compare.click();
    await shows(page, 'four');
    const released = [await lines(page), await revert.count()];
    await versions(page)
      .nth(2)
      .click({ modifiers: ['Control'] });
    await shows(page, 'two');

    expect(byKey).toEqual([['− two', '+ three'], 0]);
    expect(times).toMatch(/^− old: .*20\d\d, \d\d:\d\d:\d\d\n\+ new: .*20\d\d, \d\d:\d\d:\d\d$/);
    expect(further).toEqual(['− one', '+ three']);
    expect(released).toEqual([['− one', '+ four'], 1]);
    expect(await lines(page)).toEqual(['− one', '+ two']);
    expect(await dialog(page).locator('[aria-selected=true]').count()).toBe(2);
  });

  test('shows the seconds of versions of the same minute', async () => {
    const note = await noteWith({ content: 'one' }, { content: 'two' }, { content: 'three' });
    const page = await stage.showList();
    const at = (time: string) => ({ ...note, updatedAt: `2026-01-05T${time}.000Z` });
    await intercept(page, '**/history*', (route) =>
      route.fulfill({ json: [at('09:30:12'), at('09:30:07'), at('08:00:00')] }),
    );

    await openHistory(page, note);

    expect(await versions(page).locator('time').allInnerTexts()).toEqual([
      'Current',
      expect.stringMatching(/:30:12$/),
      expect.stringMatching(/:30:07$/),
      expect.stringMatching(/ \d\d:00$/),
    ]);
  });

  test('shows hostile texts as they are, with invisible characters made visible', async () => {
    const content = '<img src=x onerror="alert(1)">\n';
    const note = await noteWith({ content, title: '<b>bold</b>' }, { content: `${content}a\u202eb`, title: 'plain' });
    const page = await stage.showList();

    await openHistory(page, note);
    await shows(page, 'plain');

    expect(await lines(page)).toContain(' <img src=x onerror="alert(1)">');
    expect(await lines(page)).toContain('− <b>bold</b>');
    expect(await dialog(page).locator('img, b b').count()).toBe(0);
    expect(await dialog(page).locator('.invisible-character').getAttribute('data-code')).toBe('U+202E');
  });

  test('of a note that never changed says so, and can be retried when the service is unreachable', async () => {
    const note = await noteWith({ title: 'New' });
    const page = await stage.showList({ query: `?note=${note.id}`, forgiven: /Failed to load/ });
    await intercept(page, '**/history*', (route) => route.abort());

    await page.locator('.detail-body').press('h');
    await dialog(page).getByRole('alert').waitFor();
    await page.unroute('**/history*');
    await dialog(page).getByRole('button', { name: 'Retry' }).click();

    await dialog(page).getByText('There are no earlier versions').waitFor();
  });

  test('of 8 MB does not block the page, and shows the diff', async () => {
    const around = 'many words on one long line without an end '.repeat(90_000);
    const note = await noteWith({ content: `${around}before${around}` }, { content: `${around}after${around}` });
    const page = await stage.showList();
    await page.evaluate((id) => window.history.pushState(null, '', `?note=${id}`), note.id);
    await page.evaluate(() => window.dispatchEvent(new PopStateEvent('popstate')));
    await page.locator('.detail-body').waitFor();
    const readTaskSeconds = await countTaskSeconds(page);
    await page.locator('.detail-body').press('h');
    await page.locator('.diff-line ins').first().waitFor();
    const used = await readTaskSeconds();

    expect(await page.locator('.diff-line ins').allInnerTexts()).toEqual(['after']);
    expect(await page.locator('.diff-line').first().innerText()).toContain('characters …');
    expect(used).toBeLessThan(3);
  });

  test('fits a tablet, clear of its edges, and a zoom of 400 %', async () => {
    const note = await noteWith({ content: `${'word '.repeat(40)}${'x'.repeat(500)}` }, { content: 'short' });
    const page = await stage.showList({ viewport: tablet });
    await openHistory(page, note);
    await shows(page, 'short');
    const box = await dialog(page).boundingBox();
    const cutBoxes = () =>
      page.locator('dialog, dialog *').evaluateAll((boxes) => {
        const isCut = ({ scrollWidth, clientWidth }: Element) => scrollWidth > clientWidth + 1;
        return boxes.filter(
          (box) => getComputedStyle(box).overflowX !== 'visible' && !box.matches('.sr-only') && isCut(box),
        ).length;
      });
    const cut = [await cutBoxes()];
    await page.setViewportSize({ width: 320, height: 256 });
    cut.push(await cutBoxes());
    const revert = page.getByRole('button', { name: 'Revert to this version' });
    await revert.scrollIntoViewIfNeeded();
    await revert.click({ trial: true });

    expect(box).toMatchObject({ x: 16, width: tablet.width - 32 });
    expect(cut).toEqual([0, 0]);
  });
});

describe('Write: reverting to a version', () => {
  test('saves it, keeps the replaced text as a version, and is undone by `z`', async () => {
    const note = await noteWith(
      { title: 'Old', content: 'old', color: 'info' },
      { title: 'New', content: 'new', color: 'error' },
    );
    const page = await stage.showList();

    await openHistory(page, note);
    await shows(page, 'new');
    await page.keyboard.press('Enter');
    await message(page, 'The previous text is in its history').waitFor();
    const reverted = await stored(note.id);
    await dialog(page).waitFor({ state: 'detached' });
    await page.keyboard.press('z');
    await message(page, 'Undone: title, text, color of “New”').waitFor();

    expect(reverted).toMatchObject({ title: 'Old', content: 'old', color: 'info' });
    expect(await stored(note.id)).toMatchObject({ title: 'New', content: 'new', color: 'error' });
    expect((await history(note.id)).map(({ title }) => title)).toEqual(['Old', 'New', 'Old']);
  });

  test('overwrites nothing that was changed elsewhere meanwhile: it reports and compares that', async () => {
    const note = await noteWith({ content: 'old' }, { content: 'new' });
    const page = await stage.showList({ hasEvents: false, forgiven: /412/ });
    await openHistory(page, note);
    await shows(page, 'new');
    await change(note.id, { content: 'theirs' });

    await page.getByRole('button', { name: 'Revert to this version' }).click();
    await dialog(page).getByText('was changed elsewhere').waitFor();
    await shows(page, 'theirs');
    const kept = await stored(note.id);
    await page.keyboard.press('j');
    await page.getByRole('button', { name: 'Revert to this version' }).click();
    await message(page, 'Reverted').waitFor();

    expect(kept.content).toBe('theirs');
    expect((await stored(note.id)).content).toBe('old');
  });
});

describe('Write: undoing a save', () => {
  /** Opens a note and saves another title with the form. */
  async function save(page: Page, note: Note, title: string): Promise<void> {
    await page.goto(`${stage.service.url}/?note=${note.id}`);
    await page.locator('.detail-body').waitFor();
    await page.locator('#count', { hasText: /\d/ }).waitFor(); // the whole list is loaded
    await leaveSearch(page);
    await page.keyboard.press('e');
    await saveAs(page, title);
  }

  async function saveAs(page: Page, title: string): Promise<void> {
    await page.locator('#detail [name=title]').fill(title);
    await page.keyboard.press('Control+Enter');
    await message(page, `Saved “${title}”`).waitFor();
    await page.locator('.detail-body:focus').waitFor();
  }

  test('restores the former text, step by step, with an archiving in between', async () => {
    const note = await noteWith({ title: 'One', content: 'same' });
    const page = await stage.showList();
    await save(page, note, 'Two');
    await page.keyboard.press('e');
    await saveAs(page, 'Three');
    await page.keyboard.press('a');
    await message(page, 'Archived “Three”').waitFor();

    await page.keyboard.press('z');
    await row(page, note).getByText('Three').waitFor();
    await page.keyboard.press('z');
    await message(page, 'Undone: title of “Two”').waitFor();
    await message(page, '1 more to undo').waitFor();
    const second = await stored(note.id);
    await page.keyboard.press('z');
    await message(page, 'Undone: title of “One”').waitFor();
    await page.keyboard.press('z');
    await message(page, 'Nothing to undo').waitFor();

    expect([second.title, second.archived]).toEqual(['Two', false]);
    expect(await stored(note.id)).toMatchObject({ title: 'One', content: 'same', archived: false });
    expect(await titles(page)).toContain('One');
  });

  test('takes back a step whose message has gone', async () => {
    const note = await noteWith({ title: 'Once pink' });
    await using visit = await stage.visitList();
    const { page } = visit;
    await stopClock(page);
    await page.keyboard.press('c');
    await page.keyboard.press('2');
    await message(page, 'Color secondary').waitFor();
    await page.clock.runFor(11_000);
    await page.locator('.message').waitFor({ state: 'detached' });

    await page.keyboard.press('z');
    await message(page, 'Undone: color of “Once pink”').waitFor();

    expect((await stored(note.id)).color).toBe(note.color);
  });

  test('overwrites nothing that somebody else has written since, and says so', async () => {
    const note = await noteWith({ title: 'Before' });
    const page = await stage.showList({ forgiven: /412/ });
    await save(page, note, 'Mine');
    await change(note.id, { content: 'theirs' });

    await page.keyboard.press('z');
    await message(page, '“Before” was not changed back: it was changed again').waitFor();

    expect(await stored(note.id)).toMatchObject({ title: 'Mine', content: 'theirs' });
    expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0);
  });

  test('can be retried after the service was unreachable', async () => {
    const note = await noteWith({ title: 'Before' });
    await using visit = await stage.visitList({ forgiven: /Failed to load/ });
    const { page } = visit;
    await save(page, note, 'After');
    await intercept(page, `**/api/notes/${note.id}`, (route) => route.abort());

    await page.getByRole('button', { name: 'Undo' }).click();
    await message(page, '“Before” was not changed back').waitFor();
    await page.unroute(`**/api/notes/${note.id}`);
    await page.getByRole('log').getByRole('button', { name: 'Retry' }).click();
    await message(page, 'Undone: title of “Before”').waitFor();

    expect((await stored(note.id)).title).toBe('Before');
  });
});
