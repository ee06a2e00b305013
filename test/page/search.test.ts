/** Notes are found and copied by keyboard alone, and hits are highlighted. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { createCorpus } from '../support/data/corpus.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import { atCursor, clipboard, titles, useStage } from './visit.ts';

const stage = useStage();

const focused = (page: Page, selector: string) => page.locator(`${selector}:focus`).waitFor();

/** The highlighted texts, in the order of the page. */
const highlighted = (page: Page, within: string): Promise<string[]> =>
  page.evaluate((within) => {
    return [...(CSS.highlights.get('hits') ?? [])]
      .filter(({ startContainer }) => startContainer.parentElement?.closest(within))
      .map(
        ({ startContainer, startOffset, endOffset }) => startContainer.textContent?.slice(startOffset, endOffset) ?? '',
      );
  }, within);

/** Waits until something is highlighted, or nothing. */
const untilHighlighted = (page: Page, isSome = true) =>
  page.waitForFunction((isSome) => (CSS.highlights.get('hits')?.size ?? 0) > 0 === isSome, isSome);

describe('5. Search', () => {
  test('a slash, words and Enter typed within one task copy the first hit', async () => {
    await stage.add(
      ...createCorpus(300),
      createDraft({ title: 'Walrus moustache', content: 'whiskers' }),
      ...createCorpus(100, 2),
    );
    const page = await stage.show();

    await page.keyboard.press('/');
    await page.keyboard.type('walr mous');
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('Copied “Walrus moustache”').waitFor();

    expect(await clipboard(page)).toBe('whiskers');
    expect(await titles(page)).toEqual(['Walrus moustache']);
    await focused(page, '#search');
  });

  test('arrows move and announce the selection, letters stay letters, and the box keeps the focus', async () => {
    await stage.add(
      createDraft({ title: 'Ibex 3', content: '3' }),
      createDraft({ title: 'Ibex 2' }),
      createDraft({ title: 'Ibex 1' }),
    );
    const page = await stage.show();

    await page.keyboard.press('Control+k');
    await page.keyboard.type('ibex');
    const first = await atCursor(page);
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowDown']) await page.keyboard.press(key);
    await page.getByRole('status').getByText('Ibex 3').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('Copied “Ibex 3”').waitFor();

    expect([first, await atCursor(page), await clipboard(page)]).toEqual(['Ibex 1', 'Ibex 3', '3']);
    expect(await page.locator('#search').inputValue()).toBe('ibex');
    await focused(page, '#search');
  });

  test('Esc clears the search, then focuses the list', async () => {
    await stage.add(createDraft({ title: 'Tapir' }));
    const page = await stage.show({ query: '?q=tapir' });

    await page.locator('#search').press('Escape');
    const cleared = await page.locator('#search').inputValue();
    await focused(page, '#search');
    await page.keyboard.press('Escape');

    await focused(page, '.at-cursor');
    expect(cleared).toBe('');
  });

  test.each(['#search', '.at-cursor'])(
    'Esc clears the words, one more Esc the filters, and the focus stays: in %s',
    async (place) => {
      await stage.add(
        createDraft({ title: 'Okapi', category: 'css' }),
        createDraft({ title: 'Serval', category: 'css' }),
      );
      const page = await stage.show({ query: '?category=css&group=first&q=okapi' });
      const shown = async () => [
        await page.locator('#search').inputValue(),
        await page.locator('search .chip').count(),
      ];
      await page.locator(place).focus();
      const before = await titles(page);

      await page.keyboard.press('Escape');
      await page.locator('.row', { hasText: 'Serval' }).first().waitFor();
      await focused(page, place);
      const first = await shown();
      await page.keyboard.press('Escape');
      await page.locator('search .chip').first().waitFor({ state: 'detached' });
      await focused(page, place);
      const second = await shown();
      await page.keyboard.press('Escape');
      await focused(page, '.at-cursor');

      expect([before, first, second]).toEqual([before.map(() => 'Okapi'), ['', 2], ['', 0]]);
    },
  );

  test('a word that names a category and finds nothing is offered as a filter, which Enter takes', async () => {
    await stage.add(
      createDraft({ title: 'Tooltip of quokkas', category: 'css', content: 'a { }' }),
      createDraft({ title: 'Tooltip of quokkas elsewhere', category: 'prompts' }),
    );
    const page = await stage.show();
    const offer = page.getByRole('button', { name: 'Search “tooltip quokkas” in css' });
    await page.locator('#search').fill('css tooltip quokkas');
    await offer.waitFor();
    const first = await page.locator('.nothing-found button').first().innerText();
    await page.keyboard.press('Enter');
    await page.locator('.row').first().waitFor();
    const found = [await titles(page), await page.locator('#search').inputValue()];
    await focused(page, '#search');
    await page.locator('#search').fill('prompts zzqq');
    await page.getByText('Nothing found').waitFor();

    expect(first).toMatch(/Enter\s*Search “tooltip quokkas” in css/);
    expect(found).toEqual([['Tooltip of quokkas'], 'tooltip quokkas']);
    expect(await page.getByRole('button', { name: /^Search/ }).count()).toBe(0); // it would find nothing
  });

  test('without a hit, Enter copies nothing, tells screen readers so, and begins a note with the words', async () => {
    await stage.add(createDraft({ title: 'Ocelot' }));
    const page = await stage.show();
    await page.locator('#search').fill('ocelot');
    await page.locator('#search').press('Enter');
    await page.getByText('Copied “Ocelot”').waitFor();
    await page.locator('#search').fill('vvxx qqzz');
    await page.getByText('Nothing found').waitFor();
    await page.getByText('New note “vvxx qqzz”').waitFor();

    await page.locator('#search').press('Enter');
    await page.getByRole('status').getByText('Nothing copied: no note matches').waitFor();
    await page.locator('[name=title]').waitFor();

    expect(await page.locator('.message, .nothing-open *').count()).toBe(0);
    expect(await page.locator('[name=title]').inputValue()).toBe('vvxx qqzz');
    expect(await page.getByText('Elsewhere').count()).toBe(0);
    await page.locator('[name=title]').press('Escape');
    await page.locator('[name=title]').waitFor({ state: 'detached' });
    expect(await page.locator('.message').count()).toBe(0); // words of a search are no draft
  });

  test('Ctrl+J, Ctrl+N and Ctrl+P move through the results as the arrows do', async () => {
    await stage.add(...['One', 'Two', 'Three'].map((title) => createDraft({ title })));
    const page = await stage.show();
    const cursors: string[] = [];

    for (const key of ['Control+j', 'Control+n', 'Control+p', 'ArrowUp']) {
      await page.keyboard.press(key);
      cursors.push(await atCursor(page));
    }
    const [first, second, third] = await titles(page);

    expect(cursors).toEqual([second ?? '', third ?? '', second ?? '', first ?? '']);
    await focused(page, '#search');
  });

  test('a question mark alone opens the help, also after a click, and is text after other words', async () => {
    await stage.add(createDraft({ title: 'One' }));
    const page = await stage.show();
    const help = page.getByRole('dialog', { name: 'Settings and keys' });

    await page.keyboard.press('?');
    await help.waitFor();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    const afterHelp = await page.locator('#search').inputValue();
    await page.locator('[data-row]').first().click();
    await page.locator('.detail-body:focus').waitFor();
    await page.keyboard.press('?');
    await help.waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#search').focus();
    await page.keyboard.type('why?');

    expect(afterHelp).toBe('');
    expect(await page.locator('#search').inputValue()).toBe('why?');
    expect(await help.count()).toBe(0);
  });

  test('an open note follows the selection, and Back restores the list', async () => {
    const [second] = await stage.add(createDraft({ title: 'Lemur 2' }), createDraft({ title: 'Lemur 1' }));
    const page = await stage.show();
    const shown = (title: string) => page.locator('#detail h2', { hasText: title }).waitFor();

    await page.keyboard.press('/');
    await page.keyboard.type('lemur');
    await page.keyboard.press('Control+Enter');
    await shown('Lemur 1');
    await page.keyboard.press('j');
    await shown('Lemur 2');
    await page.waitForURL(`**/?q=lemur&note=${second?.id}`);
    await page.goBack();
    await page.getByRole('region', { name: 'Open note' }).waitFor({ state: 'detached' });
    const search = new URL(page.url()).search;
    await page.goForward();
    await shown('Lemur 2');

    expect(search).toBe('?q=lemur');
    expect(await page.locator('#search').inputValue()).toBe('lemur');
  });
});

describe('7. Hits', () => {
  const drafts = [
    createDraft({ title: 'Größe der Giraffe', content: `${'tall '.repeat(40)}giraffe GROSSE grosse größe` }),
  ];

  test('are highlighted in rows, in excerpts around them, and in the open note, during a search', async () => {
    const [note] = await stage.add(...drafts);
    const page = await stage.show({ query: `?q=giraffe+grosse&note=${note?.id}` });

    const found = 'giraffe GROSSE grosse größe';
    const isFound = await isEventuallyTrue(async () => (await highlighted(page, '.detail-body')).join(' ') === found);
    const row = await highlighted(page, '.row');
    const title = await highlighted(page, '#detail h2');
    await page.locator('#search').fill('giraffe');
    await page.waitForFunction(() => CSS.highlights.get('hits')?.size === 4);
    await page.locator('#search').fill('');
    await untilHighlighted(page, false);

    expect(row).toEqual(['Größe', 'Giraffe', 'giraffe', 'GROSSE', 'grosse', 'größe']);
    expect(title).toEqual(['Größe', 'Giraffe']);
    expect(isFound).toBe(true);
    expect(await page.locator('mark').count()).toBe(0);
  });

  test('are not highlighted between the lines of an excerpt', async () => {
    await stage.add(createDraft({ title: 'Dots', content: 'a · b\nc\nd' }));
    const page = await stage.show({ query: '?q=·' });
    await untilHighlighted(page);

    expect(await page.locator('.row .line-end').count()).toBe(2);
    expect(await highlighted(page, '.row')).toEqual(['·']);
  });

  test('are marked in titles and rows by a browser without the highlight API', async () => {
    const [note] = await stage.add(...drafts);
    await using opened = await stage.visit();
    const { page } = opened;
    await page.addInitScript(() => Reflect.deleteProperty(CSS, 'highlights'));
    await page.goto(`${stage.service.url}/?q=giraffe&note=${note?.id}`);
    await page.locator('#detail h2 mark').waitFor();

    const marks = (within: string) => page.locator(`${within} mark`).allInnerTexts();

    expect(await page.evaluate(() => 'highlights' in CSS)).toBe(false);
    expect(await marks('.at-cursor')).toEqual(['Giraffe', 'giraffe']);
    expect(await marks('#detail h2')).toEqual(['Giraffe']);
    await page.locator('#search').fill('');
    await page.locator('mark').first().waitFor({ state: 'detached' });
  });

  test('an excerpt shows the hit whose words stand together, also far below', async () => {
    const questions = Array.from({ length: 60 }, (_, index) => `Question ${index + 1} about the zebras of a chat.`);
    await stage.add(createDraft({ title: 'Long talk', content: questions.join('\n\n'), category: 'notes' }));
    const page = await stage.show();

    await page.locator('#search').fill('question 25');

    await page.waitForFunction(() =>
      document.querySelector('.row-excerpt')?.textContent?.includes('Question 25 about the zebras'),
    );
    expect(await page.locator('.row-excerpt').first().innerText()).not.toContain('Question 1 ');
  });

  test('are highlighted despite typing mistakes', async () => {
    await stage.add(createDraft({ title: 'Platypus eggs', content: `${'water '.repeat(40)} a platypus` }));
    const page = await stage.show();

    await page.locator('#search').fill('platipus eggs');

    await untilHighlighted(page);
    expect(await highlighted(page, '.row')).toEqual(['Platypus', 'eggs', 'platypus']);
  });
});
