/** Every key of the keymap does what the help says, wherever the focus is, and on every keyboard. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { categories, colors, groups } from '../../src/core/note.ts';
import { type Command, keymap } from '../../src/page/keyboard/keymap.ts';
import { openBrowser } from '../support/browser.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import {
  atCursor,
  clipboard,
  contentField,
  desktop,
  intercept,
  leaveSearch,
  openAndWait,
  phone,
  type ShowOptions,
  tablet,
  useStage,
} from './visit.ts';

const stage = useStage();

const drafts = [
  createDraft({ title: 'D', content: 'four' }),
  createDraft({ title: 'C', content: 'three', category: 'css' }),
  createDraft({ title: 'B', content: 'two', group: 'second' }),
  createDraft({ title: 'A', content: 'Hello {{name}}' }),
];

/** Leaves four notes, A to D from top to bottom. */
async function setNotes(): Promise<void> {
  const left: { readonly id: number }[] = await (await fetch(`${stage.service.url}/api/notes?archived=false`)).json();
  await Promise.all(left.map(({ id }) => fetch(`${stage.service.url}/api/notes/${id}/archive`, { method: 'PATCH' })));
  await stage.add(...drafts);
}

/** The shared page with four notes. */
async function show(options?: ShowOptions): Promise<Page> {
  await setNotes();
  return await stage.showList(options);
}

const names: Readonly<Record<string, string>> = {
  '↓': 'ArrowDown',
  '↑': 'ArrowUp',
  '←': 'ArrowLeft',
  '→': 'ArrowRight',
  Esc: 'Escape',
  Ctrl: 'Control',
};

/** Presses a key, or a sequence of two, by its name in the keymap. */
async function press(page: Page, key: string): Promise<void> {
  for (const part of key.split(' ')) {
    const name = /^[A-Z]$/.test(part) ? `Shift+${part}` : part.replace(/[^+]+/g, (name) => names[name] ?? name);
    await page.keyboard.press(name);
  }
}

interface Key {
  readonly key: string;
  readonly code?: string;
  readonly shiftKey?: boolean;
  readonly ctrlKey?: boolean;
  readonly altKey?: boolean;
  readonly modifierAltGraph?: boolean;
  readonly isComposing?: boolean;
  readonly repeat?: boolean;
}

/** Dispatches key events in one task, as a fast typist or a slow machine does. */
const pressAtOnce = (page: Page, ...keys: readonly Key[]): Promise<void> =>
  page.evaluate((keys) => {
    for (const key of keys) {
      const target = document.activeElement ?? document.body;
      target.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...key }));
    }
  }, keys);

const focused = (page: Page, selector: string) => page.locator(`${selector}:focus`).waitFor();
const cursorOn = (page: Page, title: string) => page.locator('.at-cursor [data-title]', { hasText: title }).waitFor();
const rowCount = (page: Page, count: number) =>
  page.waitForFunction((count) => document.querySelectorAll('.row').length === count, count);
const has = (page: Page, name: string, value: string | null) =>
  page.waitForFunction(([name, value]) => new URL(location.href).searchParams.get(name ?? '') === value, [name, value]);

/** Waits until exactly these rows are selected. */
const selectedRows = (page: Page, ...titles: string[]) =>
  page.waitForFunction((titles) => {
    const selected = document.querySelectorAll('.row[aria-selected=true] [data-title]');
    return (
      [...selected]
        .map(({ textContent }) => textContent)
        .sort()
        .join() === titles.join()
    );
  }, titles);

/** Waits for the next frame. */
const drawn = (page: Page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));

/** Shows the board, with the cursor on a note. */
async function onBoard(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: 'Board', exact: true }).click();
  await page.locator('.board [data-row]', { has: page.locator('[data-title]', { hasText: title }) }).focus();
  await cursorOn(page, title);
}

async function leaveBoard(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Board', exact: true }).click();
  await page.locator('.board').waitFor({ state: 'detached' });
  await page.locator('[data-row]').first().focus();
}

/** Adds a note of 200 lines, which is shown beside the list; the focus is on its row. */
async function showLongNote(page: Page): Promise<void> {
  await stage.add(createDraft({ title: 'Long', content: 'line\n'.repeat(200), category: 'css' }));
  await page.locator('[data-row] [data-title]', { hasText: 'Long' }).waitFor();
  await page.keyboard.press('Home');
  await cursorOn(page, 'Long');
  await page.locator('.detail-body', { hasText: 'line' }).waitFor();
  await focused(page, '.at-cursor');
}

/** Waits until the shown note is scrolled by about so many pages. */
const scrolledTo = (page: Page, pages: number) =>
  page.waitForFunction((pages) => {
    const { scrollTop = 0, clientHeight = 1 } = document.querySelector('.detail-body') ?? {};
    return Math.abs(scrollTop / clientHeight - pages) < 0.15;
  }, pages);

const shows = (selector: string) => async (page: Page, key: string) => {
  await press(page, key);
  await page.locator(selector).waitFor();
};

const says = (text: string) => async (page: Page, key: string) => {
  await press(page, key);
  await page.getByRole('log').getByText(text).waitFor();
};

/** Searches for what is three times in a note, goes by a key from the first one, and leaves the search. */
const goesToMatch = (expected: string) => async (page: Page, key: string) => {
  await stage.add(createDraft({ title: 'Striped', content: 'zebra, zebra, zebra' }));
  const position = page.locator('.match-position');
  await page.locator('#search').fill('zebra');
  await position.getByText('1 of 3').waitFor();
  await press(page, key);
  await position.getByText(expected).waitFor();
  await page.locator('#search').fill('');
};

/** Goes by a key through a note that begins with the second of its headings. */
const scrollsTo = (heading: string) => async (page: Page, key: string) => {
  const second = page.locator('.markdown h2', { hasText: 'Two' });
  if ((await second.count()) === 0) {
    const parts = ['One', 'Two', 'Three'].map((name) => `## ${name}\n\n${'text\n\n'.repeat(60)}`);
    await stage.add(createDraft({ title: 'Headed', content: parts.join(''), category: 'notes' }));
    await page.locator('.row', { hasText: 'Headed' }).waitFor();
    await press(page, 'k');
  }
  await second.evaluate((second) => {
    second.scrollIntoView();
    const box = document.querySelector('.detail-body');
    if (box) box.scrollTop += 100;
  });
  await press(page, key);
  await page.waitForFunction((heading) => {
    const found = [...document.querySelectorAll('.markdown h2')].find(({ textContent }) => textContent === heading);
    const box = document.querySelector('.detail-body');
    return found && box && Math.abs(found.getBoundingClientRect().top - box.getBoundingClientRect().top) < 20;
  }, heading);
};

/** A check per command: presses one of its keys, sees the effect, and reverts it for the next key. */
const effects = {
  search: async (page, key) => {
    await press(page, key);
    await focused(page, '#search');
    await press(page, 'Esc');
  },
  down: async (page, key) => {
    await press(page, key);
    await cursorOn(page, 'B');
    await focused(page, '.at-cursor');
    await press(page, 'k');
  },
  up: async (page, key) => {
    await press(page, 'j');
    await press(page, 'j');
    await press(page, key);
    await cursorOn(page, 'B');
    await focused(page, '.at-cursor');
    await press(page, 'k');
  },
  last: async (page, key) => {
    await press(page, key);
    await cursorOn(page, 'D');
    await focused(page, '.at-cursor');
  },
  scrollDown: async (page, key) => {
    await showLongNote(page);
    await press(page, key);
    await scrolledTo(page, 1);
    await cursorOn(page, 'Long');
  },
  scrollUp: async (page, key) => {
    await showLongNote(page);
    await press(page, 'Space');
    await scrolledTo(page, 1);
    await press(page, key);
    await scrolledTo(page, 0);
  },
  board: async (page, key) => {
    await press(page, key);
    await page.locator('.board').waitFor();
    await focused(page, '.board .at-cursor');
    await press(page, key);
    await page.locator('.board').waitFor({ state: 'detached' });
    await focused(page, '.at-cursor');
  },
  left: async (page, key) => {
    await onBoard(page, 'B');
    await press(page, key);
    await cursorOn(page, 'A');
    await leaveBoard(page);
  },
  right: async (page, key) => {
    await onBoard(page, 'A');
    await press(page, key);
    await cursorOn(page, 'B');
    await leaveBoard(page);
  },
  moveLeft: async (page, key) => {
    await onBoard(page, 'B');
    await press(page, key);
    await page.getByRole('log').getByText('Moved to first: “B”').waitFor();
    await page.locator('.board-column').nth(0).locator('.at-cursor:focus [data-title]', { hasText: 'B' }).waitFor();
    await leaveBoard(page);
  },
  moveRight: async (page, key) => {
    await onBoard(page, 'A');
    await press(page, key);
    await page.getByRole('log').getByText('Moved to second: “A”').waitFor();
    await page.locator('.board-column').nth(1).locator('.at-cursor:focus [data-title]', { hasText: 'A' }).waitFor();
    await leaveBoard(page);
  },
  select: async (page, key) => {
    await press(page, key);
    await selectedRows(page, 'A');
    await press(page, key);
    await selectedRows(page);
  },
  selectDown: async (page, key) => {
    await press(page, key);
    await selectedRows(page, 'A', 'B');
    await focused(page, '.at-cursor');
  },
  selectUp: async (page, key) => {
    await press(page, 'j');
    await press(page, key);
    await selectedRows(page, 'A', 'B');
    await cursorOn(page, 'A');
  },
  selectAll: async (page, key) => {
    await press(page, key);
    await selectedRows(page, 'A', 'B', 'C', 'D');
  },
  copy: async (page, key) => {
    await press(page, 'j');
    await press(page, key);
    await page.getByRole('log').getByText('Copied “B”').waitFor();
    expect(await clipboard(page)).toBe('two');
  },
  copyRaw: async (page, key) => {
    await press(page, key);
    await page.getByRole('log').getByText('Copied “A”').waitFor();
    expect(await clipboard(page)).toBe('Hello {{name}}');
  },
  open: async (page, key) => {
    await press(page, key);
    await page.getByRole('region', { name: 'Open note' }).getByText('Hello {{name}}').waitFor();
    await focused(page, '.detail-body');
    await press(page, 'Esc');
  },
  create: shows('.note-form [name=title]:focus'),
  edit: async (page, key) => {
    await press(page, key);
    await focused(page, '#detail [name=content]');
    expect(await page.locator('#detail [name=title]').inputValue()).toBe('A');
  },
  archive: async (page, key) => {
    await press(page, key);
    await page.getByRole('log').getByText('Archived “A”').waitFor();
    await press(page, 'z');
    await rowCount(page, 4);
  },
  link: says('Copied the link of'),
  duplicate: async (page, key) => {
    await press(page, key);
    await page.locator('.note-form [name=title]:focus').waitFor();
    expect(await page.locator('#detail [name=title]').inputValue()).toBe('A');
  },
  pin: says('Pinned “A”'),
  export: async (page, key) => {
    const download = page.waitForEvent('download');
    await press(page, key);
    expect((await download).suggestedFilename()).toMatch(/^\d+-a\.md$/);
  },
  history: shows('dialog:has-text("History of “A”")'),
  undo: async (page, key) => {
    await press(page, 'a');
    await rowCount(page, 3);
    await press(page, key);
    await rowCount(page, 4);
    await cursorOn(page, 'A');
  },
  category: async (page, key) => {
    await press(page, key);
    await has(page, 'category', categories[Number(key) - 1] ?? '');
  },
  group: async (page, key) => {
    await press(page, key);
    await has(page, 'group', groups[Number(key.at(-1)) - 1] ?? '');
  },
  color: async (page, key) => {
    await press(page, 'j'); // each change moves its note to the top
    await press(page, key);
    await page
      .getByRole('log')
      .getByText(`Color ${colors[Number(key.at(-1)) - 1]}`)
      .waitFor();
  },
  clear: async (page, key) => {
    await press(page, '1');
    await rowCount(page, 1);
    await press(page, key);
    await rowCount(page, 4);
    await has(page, 'category', null);
  },
  palette: async (page, key) => {
    await press(page, key);
    await page.locator('[role=combobox]:focus').waitFor();
    await press(page, 'Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  },
  nextMatch: goesToMatch('2 of 3'),
  previousMatch: goesToMatch('3 of 3'),
  nextHeading: scrollsTo('Three'),
  previousHeading: scrollsTo('Two'),
  help: shows('dialog:has-text("Settings and keys")'),
  back: async (page, key) => {
    await press(page, 'o');
    await press(page, key);
    await page.getByRole('region', { name: 'Open note' }).waitFor({ state: 'detached' });
    await focused(page, '.at-cursor');
  },
} satisfies Record<Command, (page: Page, key: string) => Promise<void>>;

describe('Keys', () => {
  const run = async (page: Page, command: Command) => {
    for (const key of keymap[command].keys) {
      await effects[command](page, key).catch((cause) => {
        throw new Error(`${command} by ${key}`, { cause });
      });
    }
  };
  const reverted: readonly Command[] = [
    ...(['search', 'down', 'up', 'board', 'left', 'right', 'select', 'open', 'link', 'palette', 'back'] as const),
    ...(['undo', 'clear', 'group'] as const),
  ];

  test('commands that are reverted run on each of their keys', async () => {
    const page = await show();
    for (const command of reverted) {
      await page.keyboard.press('Home');
      await run(page, command);
    }
  });

  const others = Object.keys(effects).filter((command) => !reverted.includes(command as Command)) as Command[];
  test.each(others)('%s runs on each of its keys', async (command) => run(await show(), command));

  test('a key that is held down acts once, unless it moves the cursor', async () => {
    const page = await show();
    const held = (key: string) => [{ key }, { key, repeat: true }, { key, repeat: true }];

    await pressAtOnce(page, ...held('j'), ...held('a'));
    await drawn(page);

    expect(await atCursor(page)).toBe('C');
    await rowCount(page, 3);
  });

  test('a sequence of two keys works however long the page takes for the first one', async () => {
    const page = await show();

    await page.evaluate(() => {
      const keys = ['g', '2'].map((key) => new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
      for (const key of keys) {
        document.activeElement?.dispatchEvent(key);
        for (const end = performance.now() + 1_600; performance.now() < end; ); // blocks the page
      }
    });

    await has(page, 'group', 'second');
    await has(page, 'category', null);
  });

  test('the help names the build as notes --version does, and a service that is not ready', async () => {
    const page = await show({ forgiven: /status of 503/ });
    const release = { version: '1.2.3', commit: '0123456789ab', date: '2026-01-31' }; // this tree is no release
    await intercept(page, '**/healthz', (route) => route.fulfill({ json: release }));
    await intercept(page, '**/readyz', (route) => route.fulfill({ status: 503 }));

    await page.keyboard.press('?');

    await page.getByRole('dialog').getByText('Notes 1.2.3 (0123456789ab, 2026-01-31), not ready').waitFor();
  });

  test('the help lists every key and scrolls by keys; its settings are in view and the next tab stop', async () => {
    const page = await show();
    const dialog = page.getByRole('dialog');
    const unseenAt = async (size: typeof desktop) => {
      await page.setViewportSize(size);
      return dialog.evaluate((dialog) => {
        const { bottom } = dialog.getBoundingClientRect();
        return [...dialog.querySelectorAll('input')].filter((one) => one.getBoundingClientRect().bottom > bottom)
          .length;
      });
    };

    await page.keyboard.press('?');
    await dialog.getByText('Notes 0.').waitFor();
    const help = await dialog.innerText();
    const parts = await dialog.locator('caption').allInnerTexts();
    const unseen = [await unseenAt(desktop), await unseenAt(tablet)];
    await page.setViewportSize({ width: 1024, height: 500 });
    await page.keyboard.press('PageDown');
    const isScrolled = () =>
      page.evaluate(() => [...document.querySelectorAll('dialog *')].some(({ scrollTop }) => scrollTop > 100));
    expect(await isEventuallyTrue(isScrolled)).toBe(true);
    await page.keyboard.press('Tab');

    expect(parts).toEqual(['Find', 'Write', 'Organise']);
    for (const { label, keys } of Object.values(keymap)) {
      expect(help).toContain(label);
      for (const key of keys.length > 2 ? [keys[0], keys.at(-1)] : keys) expect(help).toContain(key ?? '');
    }
    expect(unseen).toEqual([0, 0]);
    expect(await page.locator('[name=Theme]:focus').count()).toBe(1);
  });

  test('keys are shown on a machine that has no pointer at all, and not where a finger is the only one', async () => {
    await setNotes();
    const none = ['primaryHoverType', 'availableHoverTypes', 'primaryPointerType', 'availablePointerTypes'];
    await using browser = await openBrowser([`--blink-settings=${none.map((name) => `${name}=1`).join()}`]);
    const readHelp = async (page: Page) => {
      await openAndWait(page, stage.service.url);
      await leaveSearch(page);
      const foot = await page.locator('.list-foot').isVisible();
      await page.keyboard.press('?');
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Notes 0.').waitFor();
      return {
        foot,
        title: await dialog.locator('h2').innerText(),
        keys: await dialog.locator('kbd').first().isVisible(),
      };
    };
    const page = await browser.newPage({ viewport: desktop });

    const withoutPointer = await readHelp(page);
    const hasPointer = await page.evaluate(() => matchMedia('not (hover: none), not (pointer: none)').matches);
    await openAndWait(page, stage.service.url);
    const focused = await page.evaluate(() => document.activeElement?.id);
    await using touch = await stage.visit({ viewport: tablet, hasTouch: true, isMobile: true });
    const withFinger = await readHelp(touch.page);

    expect(hasPointer).toBe(false);
    expect(withoutPointer).toEqual({ foot: true, title: 'Settings and keys', keys: true });
    expect(focused).toBe('search');
    expect(withFinger).toEqual({ foot: false, title: 'Settings', keys: false });
  });

  test('tooltips name the keys of their controls', async () => {
    const page = await show();
    await page.keyboard.press('o');
    await page.getByRole('region', { name: 'Open note' }).waitFor();
    await page.keyboard.press('a');
    await page.getByRole('button', { name: 'Undo' }).waitFor();

    const tipsNow = () =>
      page.locator('[title]').evaluateAll((all) => all.map((element) => element.getAttribute('title') ?? ''));
    const tips = await tipsNow();
    await page.locator('#search').fill('qqqzzzxxx');
    await page.getByRole('button', { name: 'Clear search and filters' }).waitFor();
    tips.push(...(await tipsNow()));

    const named = ['/ or Ctrl+K', 'Enter', 'n', 'e', 'z or Ctrl+Z', '1', '7', 'g 1', 'g 5', 'Esc'];
    for (const key of named) expect(tips.some((tip) => tip.endsWith(`(${key})`))).toBe(true);
  });
});

describe('Keys: off while typing, except with Ctrl', () => {
  test('text typed right after a key that opens a field goes into it, and runs no command', async () => {
    const page = await show();

    for (const [key, field] of [
      ['/', '#search'],
      ['e', '#detail [name=content]'],
      ['n', '#detail [name=title]'],
    ]) {
      await pressAtOnce(page, { key: key ?? '' }, { key: 'a' }, { key: 't' }, { key: '1' });
      await focused(page, field ?? '');
      await page.keyboard.press('Escape');
    }

    await rowCount(page, 4);
    expect(await page.locator('html[data-theme]').count()).toBe(0);
  });

  test('letters run no command in any control of a form, and Esc leaves it', async () => {
    const page = await show();
    await page.keyboard.press('e');
    await focused(page, '#detail [name=content]');

    for (const control of ['[name=title]', 'select', '[name=content]', '[type=submit]']) {
      await page.locator(`#detail ${control}`).first().focus();
      await pressAtOnce(page, { key: 'a' }, { key: 'z' }, { key: '0' }, { key: 't' }, { key: 'ArrowDown' });
      await focused(page, `#detail ${control}`);
    }
    await page.keyboard.press('Escape');

    await focused(page, '.detail-body');
    await rowCount(page, 4);
  });

  test('Ctrl+K goes to the search from the editor and from a dialog, and typed text is kept', async () => {
    const page = await show();

    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Control+k');
    await focused(page, '#search');
    await page.keyboard.press('Escape');
    await page.keyboard.press('n');
    await focused(page, '#detail [name=title]');
    await page.keyboard.type('half a title');
    await page.keyboard.press('Control+k');
    await focused(page, '#search');
    await page.keyboard.type('a');
    const query = await page.locator('#search').inputValue();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.keyboard.press('n');
    const title = await page.locator('#detail [name=title]').inputValue();
    await page.keyboard.press('Escape');
    await page.keyboard.press('e');
    await page.keyboard.type(' changed');
    await page.locator('#detail [name=title]').press('Meta+k');

    await focused(page, '#search');
    expect([query, title]).toEqual(['a', 'half a title']);
    expect(await page.locator('#detail [name=title]').inputValue()).toBe('A');
    expect(await contentField(page).inputValue()).toStartWith(' changed');
  });

  test('on a narrow screen Ctrl+K shows the search at once, and the arrows scroll the open note', async () => {
    const page = await show({ viewport: phone });
    await page.keyboard.press('o');
    await focused(page, '.detail-body');

    await page.keyboard.press('j');
    const before = await page.locator('.at-cursor [data-title]').textContent();
    await pressAtOnce(page, { key: 'k', ctrlKey: true }, { key: 'a' });

    await focused(page, '#search');
    expect(before).toBe('A');
    await rowCount(page, 4);
  });

  test('keys in a dialog do not reach the page', async () => {
    const page = await show();
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();

    for (const key of ['a', 'j', 't', '1', 'n', 'g', '1']) await page.keyboard.press(key);
    await page.keyboard.press('Escape');

    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await atCursor(page)).toBe('A');
    await has(page, 'category', null);
    await has(page, 'group', null);
  });

  test('the setting disables exactly the keys that write characters, permanently', async () => {
    const page = await show();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByRole('checkbox').uncheck();
    await page.keyboard.press('Escape');
    await page.reload();
    await page.locator('.row').first().waitFor();
    await leaveSearch(page);

    for (const key of ['a', 't', '1', 'g', '1', '/', 'n', 'j']) await page.keyboard.press(key);
    expect(await atCursor(page)).toBe('A');
    await page.keyboard.press('ArrowDown');
    await cursorOn(page, 'B');
    await page.keyboard.press('Control+Enter');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');

    await focused(page, '#search');
    await rowCount(page, 4);
    expect(new URL(page.url()).search).toBe('');
  });
});

describe('Keys: one rule for letters', () => {
  const mouseActions: readonly (readonly [name: string, act: (page: Page) => Promise<unknown>])[] = [
    ['a click on a row', (page) => page.locator('[data-row] [data-title]', { hasText: 'B' }).click()],
    [
      'a click on a copy button',
      async (page) => {
        await page.locator('.row', { hasText: 'two' }).hover();
        await page.getByRole('button', { name: 'Copy B', exact: true }).click();
      },
    ],
    ['a click on a filter', (page) => page.locator('.sidebar').getByRole('button', { name: /^css/ }).click()],
    ['a click into the open note', (page) => page.locator('.detail-body').click()],
    [
      'a click on a chip',
      async (page) => {
        await page.locator('.sidebar').getByRole('button', { name: /^css/ }).click();
        await page.getByRole('button', { name: 'Remove the filter css' }).click();
      },
    ],
  ];

  test.each(mouseActions)('after %s, letters go to the search', async (_, act) => {
    const page = await show();

    await act(page);
    await page.keyboard.type('at');

    await focused(page, '#search');
    expect(await page.locator('#search').inputValue()).toBe('at');
    expect(await (await fetch(`${stage.service.url}/api/notes?archived=false`)).json()).toHaveLength(4);
  });

  test.each(['Escape', 'ArrowDown', 'Shift+Tab'])(
    '%s after a click makes letters commands, and shows the focus',
    async (key) => {
      const page = await show();
      await page.locator('[data-row] [data-title]', { hasText: 'B' }).click();
      await focused(page, '.detail-body');

      await page.keyboard.press(key);
      const isRingShown = await page.evaluate(() => document.activeElement?.matches('main :focus-visible'));
      await page.keyboard.press('x');

      await page.locator('.row[aria-selected=true]').waitFor();
      expect(isRingShown).toBe(true);
    },
  );

  test('letters are commands after a filter was pressed by a key, also with Shift, which adds it', async () => {
    const page = await show();
    const filter = (name: RegExp) => page.locator('.sidebar').getByRole('button', { name });
    await filter(/^css/).click();
    await filter(/^css/).press('Enter');
    await has(page, 'category', null);

    await filter(/^css/).press('Enter');
    await filter(/^notes/).press('Shift+Enter');
    await page.waitForFunction(() => /css.*notes/.test(location.search));
    await page.keyboard.press('x');

    await page.locator('.row[aria-selected=true]').waitFor();
    expect(await page.locator('#search').inputValue()).toBe('');
  });

  test('a digit after g, too, goes to the search after a click', async () => {
    const page = await show();

    await page.locator('[data-row] [data-title]', { hasText: 'B' }).click();
    await page.keyboard.type('g2');

    expect(await page.locator('#search').inputValue()).toBe('g2');
    await has(page, 'group', null);
  });

  test('on a narrow screen a letter after a tap on a note goes to the search, which it shows', async () => {
    const page = await show({ viewport: phone });
    await page.locator('[data-row] [data-title]', { hasText: 'B' }).click();
    await focused(page, '.detail-body');

    await page.keyboard.type('at');

    await focused(page, '#search');
    expect(await page.locator('#search').inputValue()).toBe('at');
  });

  test('t changes no theme', async () => {
    const page = await show();

    await page.keyboard.press('t');
    await drawn(page);

    expect(await page.locator('html[data-theme]').count()).toBe(0);
  });
});

describe('Keys: in the list and in a note', () => {
  test('Space scrolls the shown note, and not the list away from the row under the cursor', async () => {
    const page = await show();
    await stage.add(...Array.from({ length: 40 }, (_, at) => createDraft({ title: `Row ${at}` })));
    await showLongNote(page);

    await page.keyboard.press('Space');
    await scrolledTo(page, 1);

    expect(await page.locator('.list-pane .scroller').evaluate(({ scrollTop }) => scrollTop)).toBe(0);
  });

  test('G goes to the end of a note that has the focus, and Home back to its top', async () => {
    const page = await show();
    await showLongNote(page);
    await page.keyboard.press('o');
    await focused(page, '.detail-body');
    const isAtEnd = () =>
      page
        .locator('.detail-body')
        .evaluate(({ scrollTop, clientHeight, scrollHeight }) => scrollTop + clientHeight > scrollHeight - 2);

    await page.keyboard.press('Shift+G');
    expect(await isEventuallyTrue(isAtEnd)).toBe(true);
    await page.keyboard.press('Home');
    await scrolledTo(page, 0);

    await focused(page, '.detail-body');
    await cursorOn(page, 'Long');
  });

  test('G on the board goes to the end of the column', async () => {
    const page = await show();
    await onBoard(page, 'A');

    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+G');

    await cursorOn(page, 'D');
    await focused(page, '.board .at-cursor');
  });

  test('Delete archives the selected notes, and no note that has the focus itself', async () => {
    const page = await show();
    await page.keyboard.press('Shift+ArrowDown');
    await selectedRows(page, 'A', 'B');
    await page.keyboard.press('Delete');
    await page.getByRole('log').getByText('Archived 2 notes').waitFor();
    await rowCount(page, 2);

    await page.keyboard.press('o');
    await focused(page, '.detail-body');
    await page.keyboard.press('Delete');
    await drawn(page);

    await rowCount(page, 2);
  });

  test('Ctrl+A in a note selects its text alone', async () => {
    const page = await show();
    await page.keyboard.press('j');
    await page.keyboard.press('o');
    await focused(page, '.detail-body');
    await page.locator('.detail-body').getByText('two').waitFor(); // rendered by a worker

    await page.keyboard.press('Control+a');
    const fromText = await page.evaluate(() => String(getSelection()).trim());
    await page.keyboard.press('Tab');
    await page.locator('#detail').getByRole('button', { name: 'Copy', exact: true }).focus();
    await page.keyboard.press('Control+a');
    const fromButton = await page.evaluate(() => String(getSelection()).trim());

    expect([fromText, fromButton]).toEqual(['two', 'two']);
    await selectedRows(page);
  });

  test.each(['light', 'dark'] as const)(
    'a ring shows in %s colors that the note has the focus',
    async (colorScheme) => {
      const page = await show({ colorScheme });
      const ring = (selector: string) =>
        page.locator(selector).evaluate((element) => {
          const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element);
          return outlineStyle === 'none' ? 'none' : `${outlineWidth} ${outlineColor}`;
        });
      await page.locator('#detail.is-preview').waitFor(); // it replaces the empty pane
      const inList = [await ring('#detail'), await ring('.at-cursor')];

      await page.keyboard.press('o');
      await focused(page, '.detail-body');
      const inNote = [await ring('#detail'), await ring('.at-cursor')];
      await page.emulateMedia({ forcedColors: 'active' });
      const withForcedColors = await ring('#detail');

      expect(inList).toEqual(['none', inNote[0]?.replace('1px', '2px') ?? '']);
      expect(inNote).toEqual([expect.stringMatching(/^1px /), 'none']);
      expect(withForcedColors).toStartWith('1px ');
    },
  );

  test('a key for letters shows the ring of a note that was opened by a click', async () => {
    const page = await show();
    await page.locator('[data-row] [data-title]', { hasText: 'B' }).click();
    await focused(page, '.detail-body');
    const isRingShown = () => page.locator('#detail').evaluate((one) => getComputedStyle(one).outlineStyle !== 'none');
    const before = await isRingShown();

    await page.keyboard.press('ArrowLeft');

    expect(await isEventuallyTrue(isRingShown)).toBe(true);
    expect(before).toBe(false);
  });
});

describe('Keys: in a menu', () => {
  test('the keys beside its items choose them, also two for one item', async () => {
    const page = await show();
    await page.keyboard.press('j');
    await page.keyboard.press('o');
    const note = page.getByRole('region', { name: 'Open note' });
    const menu = page.getByRole('menu');

    await note.getByRole('button', { name: 'More' }).click();
    await menu.waitFor();
    await page.keyboard.press('h');
    await page.getByRole('dialog', { name: 'History of “B”' }).waitFor();
    const menus = await menu.count();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await note.getByRole('button', { name: /^Group/ }).click();
    await menu.waitFor();
    await press(page, 'g 3');

    await page.getByRole('log').getByText('Group third: “B”').waitFor();
    expect(menus).toBe(0);
  });
});

describe('Keys: on every keyboard', () => {
  test('a key works by its character, by its position only if that is no Latin letter or digit, and never with Alt', async () => {
    const page = await show();

    const cursors: string[] = [];
    for (const [, key] of keyboards) {
      await pressAtOnce(page, { key: '0' }, { key: 'k' }, key);
      await drawn(page);
      cursors.push(await atCursor(page));
    }

    expect(cursors).toEqual(keyboards.map(([, , expected]) => expected));
  });
});

test('an Enter that ends a composition is no command in any field', async () => {
  await setNotes();
  await using opened = await stage.visitList({ query: '?q=Hello' });
  const { page, context } = opened;
  const ime = await context.newCDPSession(page);
  /** As Safari sends it: the composition has ended just before. */
  const pressEnter = () =>
    ime.send('Input.dispatchKeyEvent', {
      type: 'rawKeyDown',
      key: 'Enter',
      code: 'Enter',
      windowsVirtualKeyCode: 229,
    });
  await page.evaluate(() => navigator.clipboard.writeText('before'));

  await page.locator('#search').focus();
  await pressEnter();
  await drawn(page);
  const inSearch = [await page.getByRole('dialog').count(), await page.locator('.message').count()];
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'name' }).fill('名');
  await pressEnter();
  await drawn(page);
  const inValue = await page.getByRole('dialog').count();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Shift+K');
  await page.getByRole('combobox', { name: 'Command' }).fill('new note');
  await pressEnter();
  await drawn(page);
  const inPalette = await page.getByRole('dialog', { name: 'Commands' }).count();
  await page.keyboard.press('Enter');
  await page.locator('.note-form [name=title]').fill('題');
  await pressEnter();
  await drawn(page);
  const inTitle = await page.locator('[name=title]:focus').count();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Name the group fifth' }).click();
  const label = page.getByLabel('Name of the group fifth');
  await label.fill('組');
  await pressEnter();
  await drawn(page);
  const inLabel = await label.count();
  await label.press('Escape');

  expect({ inSearch, inValue, inPalette, inTitle, inLabel }).toEqual({
    inSearch: [0, 0],
    inValue: 1,
    inPalette: 1,
    inTitle: 1,
    inLabel: 1,
  });
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('before');
});

/** A key pressed with the cursor on A, and where the cursor is then: on B after `j`, on C after `1`. */
const keyboards: readonly (readonly [name: string, key: Key, expected: string])[] = [
  ['a Russian keyboard', { key: 'о', code: 'KeyJ' }, 'B'],
  ['Caps Lock', { key: 'J', code: 'KeyJ' }, 'B'],
  ['Dvorak', { key: 'j', code: 'KeyC' }, 'B'],
  ['another Latin layout, at the position of J on QWERTY', { key: 'r', code: 'KeyJ' }, 'A'],
  ['Shift', { key: 'J', code: 'KeyJ', shiftKey: true }, 'A'],
  ['Alt', { key: 'j', code: 'KeyJ', altKey: true }, 'A'],
  ['AltGr', { key: 'j', code: 'KeyJ', modifierAltGraph: true }, 'A'],
  ['Ctrl', { key: 'j', code: 'KeyJ', ctrlKey: true }, 'A'],
  ['a word that is being composed', { key: 'j', code: 'KeyJ', isComposing: true }, 'A'],
  ['the digits of a French keyboard', { key: '&', code: 'Digit1' }, 'C'],
  ['the same with Shift', { key: '1', code: 'Digit1', shiftKey: true }, 'C'],
  ['the shifted character of a digit', { key: '!', code: 'Digit1', shiftKey: true }, 'A'],
  ['Arabic digits', { key: '١', code: 'Digit1' }, 'C'],
];
