/** The places of a note that one goes to: the matches of the search, headings, and the turns of a chat. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { NoteDraft } from '../../src/core/note.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import { goOnByKeys, intercept, phone, useStage } from './visit.ts';

const stage = useStage();

const countTo = (count: number, format: (number: number) => string) =>
  Array.from({ length: count }, (_, index) => format(index + 1)).join('');

const chat = countTo(60, (turn) => `You: Question ${turn}\n\nChatGPT: Reply ${turn}\n\nMore of it.\n\n`);

/** The match that was gone to, and whether all of it is in sight. */
const readCurrentMatch = (page: Page) =>
  page.evaluate(() => {
    const [range] = CSS.highlights.get('current-hit') ?? [];
    const box = document.querySelector('.detail-body')?.getBoundingClientRect();
    if (!range || !box) return undefined;
    const live = new Range();
    live.setStart(range.startContainer, range.startOffset);
    live.setEnd(range.endContainer, range.endOffset);
    const { top, bottom } = live.getBoundingClientRect();
    return { text: live.toString(), isInSight: top >= box.top && bottom <= box.bottom };
  });

const getScrollTop = (page: Page) => page.locator('.detail-body').evaluate(({ scrollTop }) => scrollTop);

const position = (page: Page, text: string) => page.locator('.match-position').getByText(text, { exact: true });

describe('Matches in a note', () => {
  const kinds: readonly (readonly [string, string, string, Partial<NoteDraft>])[] = [
    ['Markdown', 'aardvark', 'aardvark', { category: 'notes', content: `${'# Part\n\ntext\n\n'.repeat(80)}aardvark` }],
    [
      'code',
      'helper_47',
      'helper_47',
      { category: 'notes', content: countTo(99, (n) => `def helper_${n}(x):\n    return x + ${n}\n\n\n`) },
    ],
    ['a chat', 'question 25', 'Question 25', { category: 'chat-tool', content: chat }],
    ['plain text', 'armadillo', 'armadillo', { category: 'host-town', content: `${'text\n'.repeat(200)}armadillo` }],
  ];
  test.each(kinds)('a result of %s is opened at the match of %s', async (_, query, text, draft) => {
    await stage.add(createDraft({ title: 'Long', ...draft }));
    const page = await stage.show();

    await page.locator('#search').fill(query);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('region', { name: 'Open note' }).waitFor();

    const isShown = () => readCurrentMatch(page).then((match) => match?.isInSight === true);
    expect(await isEventuallyTrue(isShown, 10_000)).toBe(true);
    expect(await readCurrentMatch(page)).toEqual({ text, isInSight: true });
    expect(await getScrollTop(page)).toBeGreaterThan(0);
  });

  test('a match that plain text has shown stays in sight once the text is rendered', async () => {
    const content = countTo(99, (n) => `def helper_${n}(x):\n    return x + ${n}\n\n\n`);
    const [note] = await stage.add(createDraft({ title: 'Slow', content, category: 'notes' }));
    const page = await stage.show();
    const held = Promise.withResolvers<void>();
    await intercept(page, '**/assets/render-worker-*.js', async (route) => {
      await held.promise;
      await route.continue();
    });

    await page.goto(`${stage.service.url}/?q=helper_80&note=${note?.id}`);
    await page.locator('.note-text').waitFor();
    await position(page, '1 of 1').waitFor();
    const atPlainText = await readCurrentMatch(page);
    held.resolve();
    await page.locator('.note-code').waitFor();

    expect(atPlainText).toEqual({ text: 'helper_80', isInSight: true });
    expect(await readCurrentMatch(page)).toEqual({ text: 'helper_80', isInSight: true });
  });

  test('F3, Ctrl+G and buttons go from one to the next, with Shift back, and around the ends', async () => {
    await stage.add(createDraft({ title: 'Echidnas', content: countTo(3, () => `${'text\n\n'.repeat(60)}echidna`) }));
    const page = await stage.show({ query: '?q=echidna' });
    await position(page, '1 of 3').waitFor();

    await page.keyboard.press('F3');
    await position(page, '2 of 3').waitFor();
    await page.keyboard.press('Control+g');
    await position(page, '3 of 3').waitFor();
    const isLastInSight = (await readCurrentMatch(page))?.isInSight;
    await page.keyboard.press('F3');
    await position(page, '1 of 3').waitFor();
    await page.keyboard.press('Shift+F3');
    await position(page, '3 of 3').waitFor();
    await page.getByRole('button', { name: 'Next match' }).click();
    await position(page, '1 of 3').waitFor();
    await page.getByRole('button', { name: 'Previous match' }).click();
    await position(page, '3 of 3').waitFor();
    await page.locator('#search').fill('');

    await page.locator('.match-position').waitFor({ state: 'detached' });
    expect(isLastInSight).toBe(true);
    expect(await readCurrentMatch(page)).toBeUndefined();
  });

  test('on a phone the buttons cover no menu of the note that has the focus', async () => {
    const content = countTo(6, (part) => `## Ibex ${part}\n\n${'text\n\n'.repeat(20)}`);
    const [note] = await stage.add(createDraft({ title: 'Covered', content, category: 'editor-chats' }));
    const page = await stage.show({ query: `?q=ibex&note=${note?.id}`, viewport: { width: 320, height: 640 } });
    await position(page, '1 of 6').waitFor();

    const covered = await page.locator('.note-facts').evaluate((facts) =>
      [...facts.querySelectorAll('button')]
        .filter((button) => {
          button.focus();
          const { right, top, height } = button.getBoundingClientRect();
          return (
            document.elementFromPoint(Math.min(right, innerWidth) - 4, top + height / 2)?.closest('button') !== button
          );
        })
        .map((button) => button.ariaLabel ?? button.textContent),
    );

    expect(covered).toEqual([]);
  });

  test('all marked places are counted, and the note is opened where the words are near each other', async () => {
    const far = 'text\n\n'.repeat(80);
    const content = `tally\n\n${far}herons\n\n${far}They tally all herons here.\n\n${far}tally`;
    await stage.add(createDraft({ title: 'Birds', content, category: 'notes' }));
    const page = await stage.show({ query: '?q=tally+herons' });

    await page.locator('.match-position').waitFor();
    const shown = await page.locator('.match-position').innerText();
    const match = await readCurrentMatch(page);
    const marked = await page.evaluate(
      () =>
        [...(CSS.highlights.get('hits') ?? [])].filter((hit) =>
          hit.startContainer.parentElement?.closest('.detail-body'),
        ).length,
    );
    await page.keyboard.press('F3');
    await position(page, '4 of 5').waitFor();

    expect(shown).toBe('3 of 5');
    expect(marked).toBe(5);
    expect(match).toEqual({ text: 'tally', isInSight: true });
    expect(await readCurrentMatch(page)).toEqual({ text: 'herons', isInSight: true });
  });

  test('a note that is opened without a search stays at its top', async () => {
    const [note] = await stage.add(createDraft({ title: 'No words', content: chat, category: 'chat-tool' }));
    const page = await stage.showList();

    await page.locator(`[data-row="${note?.id}"]`).click();
    await page.locator('.turn').first().waitFor();

    expect(await getScrollTop(page)).toBe(0);
    expect(await page.locator('.match-position').count()).toBe(0);
  });

  test('while words are typed, the shown note is scrolled once, at the pause', async () => {
    const beginnings = ['num', 'numb', 'numba', 'numbat'].map((word) => `${'text\n\n'.repeat(80)}${word}`);
    await stage.add(createDraft({ title: 'Typed', content: beginnings.join('\n\n'), category: 'notes' }));
    const page = await stage.show();
    await page.locator('#search').fill('num');
    await position(page, '1 of 4').waitFor();
    await page.evaluate(() => {
      const box = document.querySelector<HTMLElement>('.detail-body');
      box?.addEventListener('scroll', () => {
        box.dataset['scrolls'] = String(Number(box.dataset['scrolls'] ?? 0) + 1);
      });
    });

    for (const key of 'bat') await page.keyboard.press(key);
    await position(page, '1 of 1').waitFor();
    await page.waitForFunction(() => document.querySelector<HTMLElement>('.detail-body')?.dataset['scrolls']);

    expect(await readCurrentMatch(page)).toEqual({ text: 'numbat', isInSight: true });
    expect(await page.locator('.detail-body').getAttribute('data-scrolls')).toBe('1');
  });
});

describe('Headings and turns of a note', () => {
  /** Whether the text of an element begins at the top of the note. */
  const isAtTop = (page: Page, selector: string) =>
    isEventuallyTrue(
      () =>
        page.evaluate((selector) => {
          const top = document.querySelector(selector)?.getBoundingClientRect().top ?? Number.NaN;
          const box = document.querySelector('.detail-body')?.getBoundingClientRect().top ?? Number.NaN;
          return Math.abs(top - box) < 20;
        }, selector),
      10_000,
    );

  test('of a chat, brackets go from turn to turn, and a menu names what the user says', async () => {
    const [note] = await stage.add(createDraft({ title: 'Many turns', content: chat, category: 'chat-tool' }));
    const page = await stage.showList({ query: `?note=${note?.id}` });
    await page.locator('.turn').first().waitFor();
    await goOnByKeys(page);

    await page.keyboard.press(']');
    await page.keyboard.press(']');
    const isThird = await isAtTop(page, '.turn:nth-child(3)');
    await page.keyboard.press('[');
    const isSecond = await isAtTop(page, '.turn:nth-child(2)');
    await page.getByRole('button', { name: 'Jump to' }).click();
    await page.getByRole('menuitemradio').first().waitFor();
    const names = await page.getByRole('menuitemradio').allInnerTexts();
    await page.getByRole('menuitemradio', { name: 'Question 31' }).click();

    expect([isThird, isSecond]).toEqual([true, true]);
    expect(names.length).toBe(60);
    expect(names[1]).toBe('Question 2');
    expect(await isAtTop(page, '.turn:nth-child(61)')).toBe(true);
  });

  /** Where the focus is: the number of its turn, from 1, and the name of the element. */
  const readFocus = (page: Page) =>
    page.evaluate(() => {
      const { activeElement: focused } = document;
      const turn = focused?.closest('.turn');
      const number = turn ? [...document.querySelectorAll('.turn')].indexOf(turn) + 1 : undefined;
      return { turn: number, name: focused === turn ? 'turn' : (focused?.ariaLabel ?? '') };
    });

  test('the focus goes along: Tab reaches the buttons of the turn, and keys are still for the note', async () => {
    const content = countTo(20, (turn) => `You: Question ${turn}\n\nChatGPT: It is\n\n\`\`\`\nls ${turn}\n\`\`\`\n\n`);
    const [note] = await stage.add(createDraft({ title: 'Code in turns', content, category: 'chat-tool' }));
    const page = await stage.showList({ query: `?note=${note?.id}` });
    await page.locator('.turn').first().waitFor();
    await page.locator('.detail-body').focus();
    await goOnByKeys(page);

    for (let presses = 0; presses < 23; presses++) await page.keyboard.press(']');
    const afterKeys = await readFocus(page);
    const isMarked = await page
      .locator('.turn:focus')
      .evaluate((turn) => [getComputedStyle(turn).borderInlineStartWidth, getComputedStyle(turn).outlineStyle]);
    await page.keyboard.press('Tab');
    const afterTab = await readFocus(page);
    await page.keyboard.press('Tab'); // to the code, which scrolls
    await page.keyboard.press('Tab');
    const afterThirdTab = await readFocus(page);
    const isScrolled = await isAtTop(page, '.turn:nth-child(24)');
    await page.keyboard.press(']');
    const afterKeyOnButton = await readFocus(page);
    await page.getByRole('button', { name: 'Jump to' }).click();
    await page.getByRole('menuitemradio', { name: 'Question 20', exact: true }).click();
    const afterMenu = await readFocus(page);
    await goOnByKeys(page);
    await page.keyboard.press(']'); // no further to scroll
    const afterLast = await readFocus(page);
    await page.keyboard.press('e');
    await page.locator('.note-form').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.turn').first().waitFor();
    await page.keyboard.press('j');

    expect(afterKeys).toEqual({ turn: 24, name: 'turn' });
    expect(isMarked).toEqual(['2px', 'none']);
    expect(afterTab).toEqual({ turn: 24, name: 'Copy turn 24' });
    expect(afterThirdTab).toEqual({ turn: 24, name: 'Copy code 12' });
    expect(isScrolled).toBe(true);
    expect(afterKeyOnButton).toEqual({ turn: 25, name: 'turn' });
    expect(afterMenu).toEqual({ turn: 39, name: 'turn' });
    expect(afterLast).toEqual({ turn: 40, name: 'turn' });
    await page.locator('[data-row]:focus').waitFor();
  });

  test('from the list, brackets scroll the shown note, and the focus stays in the list', async () => {
    await stage.add(createDraft({ title: 'From the list', content: chat, category: 'chat-tool' }));
    const page = await stage.showList();
    await page.locator('.turn').first().waitFor();

    await page.keyboard.press(']');

    expect(await isAtTop(page, '.turn:nth-child(2)')).toBe(true);
    expect(await page.locator('[data-row]:focus').count()).toBe(1);
  });

  test('the menu goes to the name that is typed, with its spaces', async () => {
    const [note] = await stage.add(createDraft({ title: 'Chat', content: chat, category: 'chat-tool' }));
    const page = await stage.show({ query: `?note=${note?.id}` });
    await page.getByRole('button', { name: 'Jump to' }).click();
    const focused = page.locator('[role=menuitemradio]:focus');
    await focused.waitFor();

    await page.keyboard.type('question 25');
    const reached = await focused.innerText();
    await page.keyboard.press('Home'); // its name does not end what is typed
    await page.keyboard.type(' x'); // a space after a letter presses nothing
    const stayed = await focused.innerText();
    await page.waitForFunction(
      (since) => performance.now() - since > 1_100,
      await page.evaluate(() => performance.now()),
    );
    await page.keyboard.type('25');
    const reachedWithin = await focused.innerText();
    await page.keyboard.press('Enter');

    expect([reached, stayed, reachedWithin]).toEqual(['Question 25', 'Question 1', 'Question 25']);
    expect(await isAtTop(page, '.turn:nth-child(49)')).toBe(true);
  });

  test('a note has the menu from five headings on, also on a phone', async () => {
    const heading = 'with a name of many words, which is wider than a phone';
    const parts = (count: number) => countTo(count, (part) => `## Part ${part} ${heading}\n\n${'text\n\n'.repeat(20)}`);
    const [long, short] = await stage.add(
      createDraft({ title: 'Twenty parts', content: parts(20), category: 'notes' }),
      createDraft({ title: 'Four parts', content: parts(4), category: 'notes' }),
    );
    const menu = (page: Page) => page.getByRole('button', { name: 'Jump to' });
    const shortPage = await stage.show({ query: `?note=${short?.id}`, viewport: phone });
    await shortPage.locator('.markdown h2').first().waitFor();
    const hasNone = (await menu(shortPage).count()) === 0;
    const page = await stage.show({ query: `?note=${long?.id}`, viewport: phone });

    await menu(page).click();
    const box = await page.getByRole('menu', { name: 'Jump to' }).boundingBox();
    await page.getByRole('menuitemradio', { name: 'Part 4' }).click();

    expect(hasNone).toBe(true);
    expect(phone.width - (box?.width ?? 0)).toBeGreaterThan(40); // the note is seen beside and below it
    expect(phone.height - (box?.height ?? 0)).toBeGreaterThan(100);
    expect(await isAtTop(page, '.markdown h2:nth-of-type(4)')).toBe(true);
  });
});

describe('Long lines of code', () => {
  test('are wrapped by a switch in the menu of a note, which the browser remembers', async () => {
    const content = `def f():\n    return "${'long '.repeat(100)}"\n\n\ndef g():\n    return f()\n`;
    const [note] = await stage.add(createDraft({ title: 'Wide', content, category: 'notes' }));
    const page = await stage.show({ query: `?note=${note?.id}`, viewport: phone });
    const code = page.locator('.detail-body pre');
    const isWide = () => code.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
    const choose = async (name: string) => {
      await page.locator('#detail').getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name, exact: true }).click();
    };
    const before = await isWide();

    await choose('Wrap lines');
    const wrapped = await isWide();
    await page.reload();
    const afterReload = await isWide();
    await choose('Do not wrap lines');

    expect([before, wrapped, afterReload, await isWide()]).toEqual([true, false, false, true]);
  });
});
