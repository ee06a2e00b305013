/** A long note stays where it is read while it is opened in the editor and left again. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { NoteDraft } from '../../src/core/note.ts';
import { createDraft } from '../support/sample-notes.ts';
import { contentField, desktop, phone, useStage } from './visit.ts';

const stage = useStage();

interface ShownLine {
  /** Such as "line 7:", as the lines of these tests begin. */
  readonly text: string;
  /** How far it is below the top of the pane, in px. */
  readonly top: number;
}

/** The lines that are drawn in the note or its editor, from top to bottom. */
const drawnLines = (page: Page): Promise<ShownLine[]> =>
  page.evaluate(() => {
    const editor = document.querySelector('content-editor');
    const pane = document.querySelector(editor ? '.form-text' : '.detail-body');
    const edge = pane?.getBoundingClientRect().top ?? 0;
    const nodes = document.createTreeWalker(editor?.shadowRoot ?? pane ?? document.body, NodeFilter.SHOW_TEXT);
    const drawn: ShownLine[] = [];
    while (nodes.nextNode()) {
      for (const { 0: text, index } of nodes.currentNode.textContent?.matchAll(/line \d+:/g) ?? []) {
        const range = new Range();
        range.setStart(nodes.currentNode, index);
        range.setEnd(nodes.currentNode, index + text.length);
        drawn.push({ text, top: range.getBoundingClientRect().top - edge });
      }
    }
    return drawn;
  });

async function firstLineInSight(page: Page): Promise<ShownLine> {
  const first = (await drawnLines(page)).find(({ top }) => top >= -2);
  if (!first) throw new Error('no line is in sight');
  return first;
}

async function topOfLine(page: Page, text: string): Promise<number | undefined> {
  return (await drawnLines(page)).find((line) => line.text === text)?.top;
}

const scrollTo = (page: Page, selector: string, top: number) =>
  page.locator(selector).evaluate((pane, top) => pane.scrollTo(0, top), top);

const settled = (page: Page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Opens a note, and waits until it is rendered: the text as it is may be shown before. */
async function openLongNote(fields: Partial<NoteDraft>, viewport = desktop, rendered = '.markdown'): Promise<Page> {
  const [note] = await stage.add(createDraft({ title: 'Long', ...fields }));
  const page = await stage.showList({ query: `?note=${note?.id}`, viewport });
  await page.locator(`.detail-body ${rendered}`, { hasText: 'line 499' }).waitFor();
  await page.evaluate(() => customElements.whenDefined('content-editor')); // loaded when the page is idle
  return page;
}

const lines = (format: (line: number) => string, count = 500) =>
  Array.from({ length: count }, (_, index) => format(index + 1)).join('\n');

const formatMarkdown = (line: number): string => {
  const words = 'Many words. '.repeat(line % 30);
  if (line % 50 === 0) return `\n## line ${line}: a part\n`;
  if (line % 50 === 20) return `\`\`\`sh\n# line ${line}: the first one`;
  if (line % 50 === 23) return `# line ${line}: the last one\n\`\`\``;
  if (line % 50 > 40) return `${line % 2 ? '- ' : '  1. '}line ${line}: ${words}`;
  return `line ${line}: ${words}${line % 7 === 0 ? '\n' : ''}`;
};
const markdown = lines(formatMarkdown);

const longNotes = [
  ['Markdown', '.markdown', { content: markdown }],
  ['a table', '.markdown table', { content: `| a | b |\n|---|---|\n${lines((line) => `| line ${line}: | b |`)}` }],
  [
    'plain text',
    '.note-text',
    { category: 'host-town', content: lines((line) => `line ${line}: ${'word '.repeat(line % 40)}`) },
  ],
  ['code', '.note-code', { category: 'css', content: lines((line) => `/* line ${line}: */ .line { color: red }`) }],
  [
    'a chat',
    '.markdown',
    { category: 'chat-tool', content: lines((line) => `${line % 2 ? 'You' : 'ChatGPT'}: line ${line}:`) },
  ],
] as const;

describe('10. Write: the place in a long note', () => {
  test.each(longNotes)(
    '`e` opens the editor where the note was read, and Esc gives the place back: %s',
    async (_, rendered, fields) => {
      const page = await openLongNote(fields, desktop, rendered);
      await scrollTo(page, '.detail-body', 3_210);
      const read = await firstLineInSight(page);

      await page.keyboard.press('e');
      await contentField(page).editor.waitFor();
      await settled(page);
      const edited = await topOfLine(page, read.text);
      await page.keyboard.press('Escape');
      await page.locator('.detail-body', { hasText: 'line 499' }).waitFor();
      await settled(page);
      const readAgain = await firstLineInSight(page);

      expect(Number(read.text.match(/\d+/)?.[0])).toBeGreaterThan(20);
      expect(Math.abs((edited ?? Number.NaN) - read.top)).toBeLessThan(8); // less than half a row: marks of headings are small
      expect(readAgain).toEqual(read);
    },
  );

  test.each([
    ['1 px', 1],
    ['a row', 24],
  ])('who has scrolled the editor by %s reads on there', async (_, scrolled) => {
    const page = await openLongNote({ content: markdown });
    const heading = (await topOfLine(page, 'line 50:')) ?? Number.NaN;
    await scrollTo(page, '.detail-body', heading - 44); // the empty line above it is the first one in the editor
    const read = await firstLineInSight(page);

    await page.keyboard.press('e');
    await contentField(page).editor.waitFor();
    await settled(page);
    await settled(page); // the editor remembers where it was opened after two frames
    await page.locator('.form-text').evaluate((pane, by) => pane.scrollBy(0, -by), scrolled);
    await settled(page);
    await page.keyboard.press('Escape');
    await page.locator('.detail-body', { hasText: 'line 499' }).waitFor();
    await settled(page);
    const top = (await topOfLine(page, read.text)) ?? Number.NaN;

    expect(read.text).toBe('line 50:');
    expect(Math.abs(top - read.top - scrolled)).toBeLessThan(8);
  });

  test('the pencil does the same on a phone', async () => {
    const page = await openLongNote({ content: markdown }, phone);
    await scrollTo(page, '.detail-body', 3_210);
    const read = await firstLineInSight(page);

    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await contentField(page).editor.waitFor();
    await settled(page);
    const edited = await topOfLine(page, read.text);
    await page.getByRole('button', { name: 'Leave the form' }).click();
    await page.locator('.detail-body', { hasText: 'line 499' }).waitFor();
    await settled(page);

    expect(Math.abs((edited ?? Number.NaN) - read.top)).toBeLessThan(8);
    expect(await firstLineInSight(page)).toEqual(read);
  });

  test('what is scrolled to and changed in the editor is what is read after saving', async () => {
    const page = await openLongNote({ content: markdown });
    await page.keyboard.press('e');
    await contentField(page).editor.waitFor();
    await scrollTo(page, '.form-text', 4_567);
    await settled(page);
    await page.keyboard.insertText('A new line\n\n');
    await scrollTo(page, '.form-text', 4_567);
    await settled(page);
    const edited = await firstLineInSight(page);

    await page.keyboard.press('Control+Enter');
    await page.locator('.detail-body', { hasText: 'A new line' }).waitFor();
    await settled(page);

    expect(Math.abs(((await topOfLine(page, edited.text)) ?? Number.NaN) - edited.top)).toBeLessThan(1);
  });

  test('a double click opens the editor with its word under the pointer', async () => {
    const page = await openLongNote({ content: `${lines(formatMarkdown, 120)}\nline 499` });
    await page.locator('.detail-body h2', { hasText: 'line 100:' }).scrollIntoViewIfNeeded();
    const before = await topOfLine(page, 'line 100:');
    await page.locator('.detail-body h2', { hasText: 'line 100:' }).dblclick({ position: { x: 60, y: 8 } });
    await contentField(page).editor.waitFor();
    await settled(page);

    const opened = await topOfLine(page, 'line 100:');
    expect(before).toBeGreaterThan(0);
    expect(Math.abs((opened ?? Number.NaN) - (before ?? Number.NaN))).toBeLessThan(8);
  });
});
