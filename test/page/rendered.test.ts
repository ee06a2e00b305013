/** Controls in a rendered note: task boxes and links to notes. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Note } from '../../src/core/note.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createJsonRequest, readNoteBody } from '../support/service.ts';
import { clipboard, goOnByKeys, intercept, phone, useStage } from './visit.ts';

const stage = useStage();

async function addNote(content: string, title = 'Tasks'): Promise<Note> {
  const [note] = await stage.add(createDraft({ title, content, category: 'notes' }));
  if (!note) throw new Error('no note');
  return note;
}

const stored = ({ id }: Note) => readNoteBody(fetch(`${stage.service.url}/api/notes/${id}`));
const box = (page: Page, name: string) => page.getByRole('checkbox', { name, exact: true });
const link = (page: Page, name: string) => page.locator('.markdown').getByRole('link', { name });
/** Waits for the newest message. */
const saysLast = (page: Page, text: string) =>
  page.getByRole('log').locator('> :last-child').getByText(text, { exact: true }).waitFor();
const says = (note: Note, content: string) => isEventuallyTrue(async () => (await stored(note)).content === content);

test('lines of a paragraph stay lines', async () => {
  const note = await addNote('Ada: when?\nBob: at noon\n\nlast  words', 'A chat');
  const page = await stage.show({ query: `?note=${note.id}` });
  const paragraphs = page.locator('.markdown p');

  await paragraphs.nth(1).waitFor();
  const heights = await paragraphs.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));

  expect(heights[0]).toBe(2 * (heights[1] ?? 0));
});

test('a note that is Python is one highlighted block of code, white space as stored, and its excerpt is code', async () => {
  const python =
    'class Point:\n    def __init__(self, x):\n        self.x = x\n\n    def double(self):\n        return 2 * self.x\n';
  const note = await addNote(python, 'Point');
  const page = await stage.show({ query: `?note=${note.id}` });
  const code = page.getByRole('region', { name: 'Code' });

  await code.waitFor();

  expect(await code.evaluate((block) => block.textContent)).toBe(python);
  expect(await code.locator('.hljs-keyword').allTextContents()).toEqual(['class', 'def', 'def', 'return']);
  expect(await page.locator('.detail-body strong').count()).toBe(0);
  const excerpt = page.locator(`[data-row="${note.id}"] .row-excerpt.font-mono`);
  await excerpt.waitFor();
  expect(await excerpt.innerText()).toContain('def __init__(self, x):');
});

test('a note about hosts is plain, unless it has Markdown', async () => {
  const [addresses, described] = await stage.add(
    createDraft({ content: '192.0.2.1 *.example.com\n192.0.2.2 town', category: 'host-town' }),
    createDraft({ content: '**Town**: see https://example.com', category: 'host-town' }),
  );
  const page = await stage.show({ query: `?note=${addresses?.id}` });

  await page.locator('.note-text', { hasText: '*.example.com' }).waitFor();
  const other = await stage.show({ query: `?note=${described?.id}` });

  await other.locator('.markdown strong', { hasText: 'Town' }).waitFor();
});

test('a first heading that equals the title is hidden, also below front matter', async () => {
  const note = await addNote(
    '---\ntitle: Release checklist\n---\n# Release checklist\n\nTag it\n\n# Release checklist',
    'Release checklist',
  );
  const page = await stage.show({ query: `?note=${note.id}` });
  const headings = page.locator('.markdown h1');

  await headings.nth(1).waitFor();

  expect(await headings.evaluateAll((all) => all.map((one) => one.checkVisibility()))).toEqual([false, true]);
});

describe('a turn of a chat', () => {
  const chat =
    'You: How many **days**?\n\n- [ ] of May\n\nChatGPT: 31:\n\n```\ncal {{month}}\n```\n\n---\n\n## You\n\nThanks\n';
  const button = (page: Page, turn: number) => page.getByRole('button', { name: `Copy turn ${turn}`, exact: true });

  test('is copied as Markdown by a button beside its speaker, which the pointer and the focus show', async () => {
    const note = await addNote(chat, 'Days');
    const page = await stage.show({ query: `?note=${note.id}` });
    const readOpacity = (turn: number) => button(page, turn).evaluate((one) => getComputedStyle(one).opacity);
    await button(page, 3).waitFor();

    const atFirst = await readOpacity(1);
    await page.locator('.turn p').first().hover();
    const underPointer = await readOpacity(1);
    await button(page, 1).click();
    await saysLast(page, 'Copied the turn');
    const first = await clipboard(page);
    await button(page, 3).focus();
    const withFocus = await readOpacity(3);
    await page.keyboard.press('Enter');
    await page.waitForFunction(async () => (await navigator.clipboard.readText()) === 'Thanks');
    await button(page, 2).click({ modifiers: ['Shift'] }); // byte for byte: without a question for the month
    await page.waitForFunction(async () => (await navigator.clipboard.readText()).startsWith('31'));

    expect([atFirst, underPointer, withFocus]).toEqual(['0', '1', '1']);
    expect(first).toBe('How many **days**?\n\n- [ ] of May');
    expect(await clipboard(page)).toBe('31:\n\n```\ncal {{month}}\n```');
  });

  test('is copied as it is after a tick', async () => {
    const note = await addNote(chat, 'Days');
    const page = await stage.show({ query: `?note=${note.id}` });
    await box(page, 'of May').click();
    await saysLast(page, 'Ticked in “Days”');

    await button(page, 1).click();

    await saysLast(page, 'Copied the turn');
    expect(await clipboard(page)).toContain('[x] of May');
  });

  test('has its button always on a touch screen, above the text', async () => {
    const note = await addNote(chat, 'Days');
    await using visit = await stage.visit({
      query: `?note=${note.id}`,
      viewport: phone,
      hasTouch: true,
      isMobile: true,
    });
    const { page } = visit;
    await button(page, 3).waitFor();

    const boxes = await page.locator('.turn').evaluateAll((turns) =>
      turns.map((turn) => {
        const button = turn.querySelector(':scope > button');
        const bottom = button?.getBoundingClientRect().bottom ?? 0;
        const textTop = button?.nextElementSibling?.getBoundingClientRect().top ?? 0;
        return { opacity: button && getComputedStyle(button).opacity, isAboveText: bottom <= textTop };
      }),
    );

    expect(boxes).toEqual(Array(3).fill({ opacity: '1', isAboveText: true }));
  });
});

describe('a task box', () => {
  const tasks = '# List\r\n\r\n- [ ] one\r\n\t- [X] **two**\r\n\r\n> 1. [ ] three\r\n';

  test('is ticked by a click and by Space, which changes one character, and keeps its focus', async () => {
    const note = await addNote(tasks);
    const page = await stage.show({ query: `?note=${note.id}` });

    await box(page, 'one').click();
    expect(await says(note, tasks.replace('[ ] one', '[x] one'))).toBe(true);
    await box(page, 'three').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Space');
    await page.keyboard.press('Space');
    await box(page, 'two').uncheck();
    const changed = tasks.replaceAll('[ ]', '[x]').replace('[X]', '[ ]');
    expect(await says(note, changed)).toBe(true);
    await saysLast(page, 'Unticked in “Tasks”');
    await goOnByKeys(page);
    await page.keyboard.press('z');
    await box(page, 'two').and(page.locator(':checked:focus')).waitFor();

    expect(await says(note, tasks.replaceAll('[ ]', '[x]'))).toBe(true);
    expect(await page.locator('.markdown input').count()).toBe(3);
  });

  test('that was ticked is unticked by Undo, also before the service has answered', async () => {
    const note = await addNote('- [ ] one');
    const page = await stage.show({ query: `?note=${note.id}` });
    const gate = Promise.withResolvers<void>();
    await intercept(page, `**/api/notes/${note.id}`, async (route) => {
      await gate.promise;
      await route.continue();
    });
    const sent = page.waitForRequest(`**/api/notes/${note.id}`);

    await box(page, 'one').click();
    await sent;
    await goOnByKeys(page);
    await page.keyboard.press('z');
    gate.resolve();
    await page.getByText('Undone: text of “Tasks”').waitFor();

    expect(await says(note, '- [ ] one')).toBe(true);
    await box(page, 'one').and(page.locator(':not(:checked)')).waitFor();
  });

  test('has a line of 44 px on a touch screen, and is ticked by its words too', async () => {
    const note = await addNote(tasks);
    await using visit = await stage.visit({ query: `?note=${note.id}`, hasTouch: true, isMobile: true });
    const { page } = visit;

    await page.locator('.markdown').getByText('three', { exact: true }).tap();

    expect(await says(note, tasks.replace('[ ] three', '[x] three'))).toBe(true);
    const line = await page.locator('.markdown li', { hasText: 'three' }).boundingBox();
    expect(line?.height).toBeGreaterThanOrEqual(42);
    const reach = await box(page, 'three').evaluate((input) => {
      const { width, height } = getComputedStyle(input, '::after');
      return [Number.parseFloat(width), Number.parseFloat(height)];
    });
    expect(Math.min(...reach)).toBeGreaterThanOrEqual(44);
  });

  test('is not ticked when the note has changed meanwhile: a message and the current text appear', async () => {
    const note = await addNote('- [ ] one\n- [ ] two');
    const page = await stage.show({ query: `?note=${note.id}`, hasEvents: false, forgiven: /412/ });
    await box(page, 'two').waitFor();
    const theirs = 'New\n\n- [ ] one\n- [ ] two';
    await fetch(
      `${stage.service.url}/api/notes/${note.id}`,
      createJsonRequest({ id: note.id, content: theirs }, 'PUT'),
    );

    await box(page, 'two').click();
    await page.getByText('“Tasks” was not changed: Note with ID').waitFor();
    await page.locator('.markdown p', { hasText: 'New' }).waitFor();

    expect((await stored(note)).content).toBe(theirs);
    expect(await page.locator('.markdown input:checked').count()).toBe(0);
  });

  test('stays unchanged while the service is unreachable', async () => {
    const note = await addNote('- [ ] one');
    const page = await stage.show({ query: `?note=${note.id}`, forgiven: /Failed to load/ });
    await intercept(page, `**/api/notes/${note.id}`, (route) => route.abort());

    await box(page, 'one').click();
    await page.getByText('“Tasks” was not changed').waitFor();
    await box(page, 'one').and(page.locator(':not(:checked)')).waitFor();

    expect((await stored(note)).content).toBe('- [ ] one');
  });

  test('cannot be ticked when its position in the text is ambiguous, and in the preview of a form', async () => {
    const note = await addNote('- [\t] unclear\n- [ ] one');
    const page = await stage.showList({ query: `?note=${note.id}` });
    await box(page, 'one').and(page.locator(':enabled')).waitFor();
    const shown = page.locator('.markdown input').first();
    expect(await shown.isDisabled()).toBe(true);

    await page.locator('#detail').getByRole('button', { name: 'Edit' }).click();
    await page.locator('[name=content]').waitFor();
    await page.keyboard.press('Control+Shift+P');
    await shown.waitFor();
    expect(await page.locator('.markdown input:disabled').count()).toBe(2);
  });
});

describe('a link to a note', () => {
  test('is copied by `l`, and opens within the page, as a history entry', async () => {
    const target = await addNote('**the target**', 'Target');
    const { url } = stage.service;
    const note = await addNote(
      `[relative](?note=${target.id}) and ${url}/?note=${target.id}\n\n- [ ] [gone](?note=999999)`,
    );
    await using visit = await stage.visit({ query: `?note=${note.id}`, forgiven: /status of 404/ }); // of the one gone
    const { page, context } = visit;
    const heading = (name: string) => page.getByRole('heading', { name }).waitFor();
    await page.evaluate(() => Object.assign(window, { isSame: true }));

    for (const [name, shown] of [
      ['relative', 'Target'],
      [url, 'Target'],
      ['gone', 'Not found'],
    ] as const) {
      await box(page, 'gone').and(page.locator(':enabled')).waitFor();
      await link(page, name).click();
      await heading(shown);
      await page.goBack();
      await heading('Tasks');
    }
    const isSame = await page.evaluate(() => 'isSame' in window);
    await page.locator('.detail-body').focus();
    await goOnByKeys(page);
    await page.keyboard.press('l');
    await page.getByText('Copied the link of “Tasks”').waitFor();
    const copied = await clipboard(page);
    const elsewhere = context.waitForEvent('page');
    await link(page, 'relative').click({ modifiers: ['Control'] });
    await elsewhere;

    expect(copied).toBe(`${url}/?note=${note.id}`);
    expect(isSame).toBe(true);
    expect(page.url()).toBe(`${url}/?note=${note.id}`);
  });
});
