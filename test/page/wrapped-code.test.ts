/** A line of code that is wrapped goes on at its own indentation, in the editor and in reading. */
import { beforeAll, expect, test } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { createDraft } from '../support/sample-notes.ts';
import { clipboard, contentField, phone, useStage } from './visit.ts';

const stage = useStage();

const words = 'if the words of this line are more than a phone is wide: '.repeat(3);
const longWord = 'https://host.example/'.repeat(8);
const python = [
  'import sys',
  'def find(query):',
  `    # spaces ${words}`,
  `\t# tab ${words}`,
  `    "${longWord}"`,
  `${' '.repeat(60)}# deep ${words}`,
  '    for word in query:',
  '        print(word)',
  '    return query',
  '',
].join('\n');

beforeAll(async () => {
  await stage.add(
    createDraft({ title: 'Python', category: 'notes', content: python }),
    createDraft({ title: 'Fenced', category: 'notes', content: `Text\n\n\`\`\`python\n${python}\`\`\`\n` }),
    createDraft({ title: 'Shell', category: 'bash-commands', content: `cd x\n    # spaces ${words}\n` }),
  );
});

interface WrappedLine {
  /** The texts of the lines that are seen. */
  readonly texts: readonly string[];
  /** How far from the beginning of the first line each text begins, in characters. */
  readonly starts: readonly number[];
}

/** Reads how a line of the text in an element is wrapped. */
const readWrappedLine = (element: Locator, containing: string): Promise<WrappedLine> =>
  element.evaluate((element, containing) => {
    const places: { character: string; left: number; top: number; width: number }[] = [];
    const nodes = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const range = new Range();
    const { textContent: text } = element;
    const start = text.lastIndexOf('\n', text.indexOf(containing)) + 1;
    const end = `${text}\n`.indexOf('\n', start);
    let offset = 0;
    while (nodes.nextNode()) {
      const { currentNode: node } = nodes;
      if (!(node instanceof Text)) continue;
      for (const [index, character] of [...node.data].entries()) {
        if (offset + index < start || offset + index >= end) continue;
        range.setStart(node, index);
        range.setEnd(node, index + 1);
        const { left, top, width } = range.getBoundingClientRect();
        places.push({ character, left, top: Math.round(top), width });
      }
      offset += node.data.length;
    }
    const first = places[0]?.left ?? 0;
    const unit = places.find(({ character }) => /\w/.test(character))?.width ?? 1;
    const tops = [...new Set(places.map(({ top }) => top))];
    const lines = tops.map((top) => places.filter((place) => place.top === top));
    return {
      texts: lines.map((line) => line.map(({ character }) => character).join('')),
      starts: lines.map((line) =>
        Math.round(((line.find(({ character }) => /\S/.test(character))?.left ?? 0) - first) / unit),
      ),
    };
  }, containing);

/** The same of a line in the editor. */
const readEditedLine = (page: Page, containing: string): Promise<WrappedLine> =>
  readWrappedLine(contentField(page).editor.locator('.cm-line', { hasText: containing }).first(), containing);

/** That a line goes on at its indentation, and has a text in its first line. */
function expectHung({ texts, starts }: WrappedLine, indent: number): void {
  expect(texts.length).toBeGreaterThan(1);
  expect(texts[0]?.trim()).not.toBe('');
  expect(starts).toEqual(starts.map(() => indent));
}

async function openForm(title: string): Promise<Page> {
  const page = await stage.showList({ viewport: phone, query: `?q=${title}` });
  await page.locator('.row', { hasText: title }).click();
  await page.locator('#detail').getByRole('button', { name: 'Edit' }).click();
  await contentField(page).text.waitFor();
  return page;
}

test.each(['Python', 'Fenced'])(
  'a line of code that is wrapped goes on at its indentation in the editor: %s',
  async (title) => {
    const page = await openForm(title);

    expectHung(await readEditedLine(page, '# spaces'), 4);
    expectHung(await readEditedLine(page, '# tab'), 4);
    expectHung(await readEditedLine(page, 'https://'), 4);
    const { starts } = await readEditedLine(page, '# deep');
    expect(starts.at(-1)).toBeLessThan(20); // a third of the window at most
  },
);

async function openToRead(title: string): Promise<Page> {
  const page = await stage.showList({ viewport: phone, query: `?q=${title}` });
  await page.evaluate(() => localStorage.setItem('notes.wrap', 'on'));
  await page.reload();
  await page.locator('.row', { hasText: title }).click();
  await page.locator('#detail pre', { hasText: '# spaces' }).waitFor();
  return page;
}

test.each(['Python', 'Fenced', 'Shell'])(
  'a line of code that is wrapped goes on at its indentation in reading: %s',
  async (title) => {
    const page = await openToRead(title);
    const code = page.locator('#detail pre');
    await code.locator('[data-indent]').first().waitFor();

    expectHung(await readWrappedLine(code, '# spaces'), 4);
    if (title === 'Shell') return;
    expectHung(await readWrappedLine(code, '# tab'), 4);
    expectHung(await readWrappedLine(code, 'https://'), 4);
  },
);

test('a selection of wrapped lines of code is copied as it is stored', async () => {
  const page = await openToRead('Python');
  await page.locator('#detail pre [data-indent]').first().waitFor();

  const selected = await page.locator('#detail pre').evaluate((pre) => {
    getSelection()?.selectAllChildren(pre);
    return getSelection()?.toString();
  });
  await page.keyboard.press('Control+C');

  expect(selected).toBe(python.trimEnd());
  expect(await clipboard(page)).toBe(python.trimEnd());
});
