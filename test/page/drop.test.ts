/** Dropped or pasted files become notes, and the browser never opens them. */
import { describe, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { freezeAndStringifyOnce } from '../../src/core/json/json.ts';
import type { Note } from '../../src/core/note.ts';
import { createZip } from '../integration/zip.ts';
import { token } from '../support/data/secrets.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createJsonRequest, createTemporaryFolder, readNoteBody, readNotesBody } from '../support/service.ts';
import { goOnByKeys, intercept, phone, titles, useStage } from './visit.ts';

const stage = useStage();
const all = () => readNotesBody(fetch(`${stage.service.url}/api/notes`));
const withTitle = async (title: string) => (await all()).filter((note) => note.title === title);
const title = (page: Page) => page.locator('.note-form [name=title]');
const message = (page: Page, text: string) => page.locator('.message', { hasText: text });
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Import notes' });

interface Given {
  readonly name: string;
  /** A text, or bytes. */
  readonly content: string | readonly number[];
  readonly type?: string;
}

/** Drops or pastes files on the body. Returns whether the page prevented the browser from opening them. */
const give = (page: Page, files: readonly Given[], kind: 'drop' | 'paste' = 'drop'): Promise<boolean> =>
  page.evaluate(
    ({ files, kind }) => {
      const data = new DataTransfer();
      for (const { name, content, type = '' } of files) {
        data.items.add(new File([typeof content === 'string' ? content : Uint8Array.from(content)], name, { type }));
      }
      const init = { bubbles: true, cancelable: true };
      const events =
        kind === 'drop'
          ? ['dragover', 'drop'].map((name) => new DragEvent(name, { ...init, dataTransfer: data }))
          : [new ClipboardEvent('paste', { ...init, clipboardData: data })];
      return events.map((event) => !document.body.dispatchEvent(event)).every(Boolean);
    },
    { files, kind },
  );

/** Drops a folder of the disk on the list, as a file manager does. */
async function dropFolder(page: Page, path: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  const drag = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    session.send('Input.dispatchDragEvent', { type, x: 200, y: 300, data });
  const isOver = await page.evaluateHandle(() => ({
    handled: new Promise<void>((resolve) => {
      window.addEventListener('dragover', () => requestAnimationFrame(() => resolve()), { once: true });
    }),
  }));
  await drag('dragEnter');
  await drag('dragOver');
  await isOver.evaluate(({ handled }) => handled); // the browser drops nothing on a page that has not allowed it yet
  await drag('drop');
  await session.detach();
}

describe('18. Files', () => {
  test('notes that were pinned where they come from are pinned after those that are pinned here', async () => {
    const pinned = async (): Promise<{ ids: number[] }> => (await fetch(`${stage.service.url}/api/pins`)).json();
    const [here] = await stage.add(createDraft({ title: 'Pinned here' }));
    const page = await stage.show();
    await fetch(`${stage.service.url}/api/pins`, createJsonRequest({ ids: [here?.id] }, 'PUT'));
    const [second, first] = [2, 1].map((pin) => ({
      ...here,
      ...{ id: undefined, title: `Pinned ${pin}`, content: `Place ${pin}`, pin },
    }));

    await give(page, [{ name: 'notes.ndjson', content: [second, first].map((one) => JSON.stringify(one)).join('\n') }]);
    await dialog(page).getByRole('button', { name: 'Import 2 notes' }).click();
    await message(page, 'Imported 2 notes; 2 notes pinned').waitFor();

    const { ids } = await pinned();
    const notes = await all();
    expect(ids.map((id) => notes.find((one) => one.id === id)?.title)).toEqual(['Pinned here', 'Pinned 1', 'Pinned 2']);
    await page.locator('.row-pin').nth(1).waitFor();
    await fetch(`${stage.service.url}/api/pins`, createJsonRequest({ ids: [] }, 'PUT'));
  });

  test('a text file becomes a note in the form, with the title and category of its name or heading, and its bytes', async () => {
    const page = await stage.showList();

    for (const [name, text, category, expected] of [
      ['deploy.sh', '#!/bin/sh\necho hi\n', 'bash-commands', 'deploy'],
      ['reset.css', '* { margin: 0 }\n', 'css', 'reset'],
      ['ask.prompt', 'You are', 'prompts', 'ask'],
      ['read.me.md', '# Read\n', 'notes', 'Read'],
      ['page.v2.md', 'no heading\n', 'notes', 'page.v2'],
      ['.profile', 'export A=1\r\n', 'notes', '.profile'],
    ] as const) {
      const isKept = await give(page, [{ name, content: text }]);
      await title(page).waitFor();
      const shown = await title(page).inputValue();
      await page.keyboard.press('Control+Enter');
      await message(page, `Saved “${expected}”`).waitFor();
      await title(page).waitFor({ state: 'detached' });

      expect([isKept, shown]).toEqual([true, expected]);
      expect(await withTitle(expected)).toMatchObject([{ content: text, category, group: 'first', color: 'neutral' }]);
    }
  });

  test('a dropped text has a draft at once: a reload keeps it, and it is saved byte for byte', async () => {
    const page = await stage.show();
    const text = '#!/bin/sh\r\necho dropped\r\n';

    await give(page, [{ name: 'dropped.sh', content: text }]);
    await title(page).waitFor();
    await page.reload();
    await page.locator('.draft-row', { hasText: 'dropped' }).getByRole('button').first().click();
    await title(page).waitFor();
    await page.keyboard.press('Control+Enter');
    await message(page, 'Saved “dropped”').waitFor();

    expect(await withTitle('dropped')).toMatchObject([{ content: text, category: 'bash-commands' }]);
  });

  test('while files are dragged over the page, above a dialog too, it says that they can be dropped', async () => {
    const page = await stage.showList();
    const hint = page.getByText('Drop files to make notes');
    const drag = (type: string) =>
      page.evaluate((type) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([], 'a.txt'));
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
      }, type);

    await drag('dragover');
    await hint.waitFor();
    await drag('dragleave');
    const left = await hint.isVisible();
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await drag('dragover');
    await hint.waitFor();
    const isAbove = await hint.evaluate((hint) => hint.matches(':popover-open'));
    await hint.waitFor({ state: 'hidden' }); // the drag was given up without an event

    expect([left, isAbove]).toEqual([false, true]);
  });

  test('a text file gets the fields of the filter, beside an open form that keeps its draft', async () => {
    const page = await stage.showList({ query: '?category=chat-tool&group=third' });
    await page.keyboard.press('n');
    await title(page).fill('Begun before');

    await give(page, [{ name: 'chat.txt', content: 'Hello' }]);
    await page.waitForFunction(() => document.querySelector<HTMLInputElement>('[name=title]')?.value === 'chat');
    await page.keyboard.press('Control+Enter');
    await message(page, 'Saved “chat”').waitFor();

    expect(await withTitle('chat')).toMatchObject([{ category: 'chat-tool', group: 'third' }]);
    await page.getByText('Not saved: “Begun before”').waitFor();
  });

  test('a single file that the page cannot keep is refused with the reason', async () => {
    const page = await stage.show();

    const isPasteKept = await give(page, [{ name: 'image.png', content: [0x89, 0x50], type: 'image/png' }], 'paste');
    await message(page, 'image.png: Notes keeps text; images cannot be stored').waitFor();
    const isDropKept = await give(page, [{ name: 'massCode.db', content: 'SQLite format 3\0 snippet_contents' }]);
    await message(page, 'massCode.db: It is a database, which only “notes import” reads').waitFor();

    const isPageKept = await give(page, [{ name: 'about.json', content: '{"name":"x"}' }]);
    await message(page, 'about.json: It is a JSON object with the key name, which no format reads').waitFor();

    expect([isPasteKept, isDropKept, isPageKept]).toEqual([true, true, true]);
    expect(await title(page).count()).toBe(0);
  });

  test('a session that Codex has compressed is read, and a damaged one is refused', async () => {
    const page = await stage.showList();
    const said = (role: string, text: string) =>
      `${JSON.stringify({ type: 'response_item', payload: { type: 'message', role, content: [{ text }] } })}\n`;
    const bytes = [...Bun.zstdCompressSync(said('user', 'Compressed question') + said('assistant', 'Its answer'))];

    await give(page, [{ name: 'rollout-1.jsonl.zst', content: bytes.slice(0, -3) }]);
    await message(page, 'rollout-1.jsonl.zst is damaged: it cannot be unpacked').waitFor();
    await give(page, [{ name: 'rollout-1.jsonl.zst', content: bytes }]);
    await dialog(page).getByText('Compressed question').waitFor();
  });

  test('an archive is read in the browser, with the archive in it, and what it leaves out is counted', async () => {
    const page = await stage.showList();
    const inner = createZip([{ name: 'Packed twice.md', content: 'twice' }]);
    const archive = createZip([
      { name: 'Packed once.md', content: '# Other heading\n' },
      { name: 'Part.zip', content: inner },
      ...['a.html', 'b.html'].map((name) => ({ name, content: '<html>' })),
    ]);

    await give(page, [{ name: 'export.zip', content: [...archive] }]);
    await dialog(page).waitFor();
    const said = await dialog(page).innerText();
    await dialog(page).getByRole('button', { name: 'Import 2 notes' }).click();
    await message(page, 'Imported 2 notes').waitFor();

    expect(said).toContain('Left out: 2');
    expect(said).toContain('a.html, b.html No format reads it (.html)\n2');
    expect(await withTitle('Other heading')).toMatchObject([{ content: '# Other heading\n' }]);
    expect(await withTitle('Packed twice')).toMatchObject([{ content: 'twice' }]);
  });

  test('a folder is read with its subfolders, and a vault that is dropped again updates its notes', async () => {
    const page = await stage.showList();
    using folder = createTemporaryFolder();
    const vault = join(folder.path, 'Dropped vault');
    mkdirSync(join(vault, '.obsidian'), { recursive: true });
    mkdirSync(join(vault, 'below'));
    writeFileSync(join(vault, '.obsidian/app.json'), '{}');
    writeFileSync(join(vault, 'below/Dropped page.md'), 'first');

    await dropFolder(page, vault);
    await dialog(page).getByText('Dropped page').waitFor();
    await dialog(page).getByRole('button', { name: 'Import 1 note' }).click();
    await message(page, 'Imported 1 note').waitFor();
    writeFileSync(join(vault, 'below/Dropped page.md'), 'second');
    await dropFolder(page, vault);
    await dialog(page).getByRole('button', { name: 'Import 1 note' }).click();
    await message(page, '1 note replaced an older version').waitFor();

    expect(await withTitle('Dropped page')).toMatchObject([{ content: 'second' }]);
  });

  test('of several files the selected ones become notes; the others are listed with the reason', async () => {
    const page = await stage.show({ query: '?category=prompts' });

    await give(page, [
      { name: 'several one.css', content: 'a { }' },
      { name: 'several two.txt', content: 'two' },
      { name: 'several three.sh', content: 'ls' },
      { name: 'latin.txt', content: [0x66, 0xfc, 0x72] },
      { name: 'tool.bin', content: [0, 1, 2] },
      { name: 'cut off.zip', content: [0x50, 0x4b, 3, 4] },
      { name: 'empty.txt', content: '' },
      { name: 'blank.txt', content: ' ' },
      { name: 'photo.jpg', content: [1], type: 'image/jpeg' },
    ]);
    await dialog(page).waitFor();
    const said = await dialog(page).innerText();
    await page.setViewportSize(phone);
    const imports = await dialog(page).getByRole('button', { name: 'Import' }).boundingBox();
    const below = phone.height - (imports?.y ?? 0) - (imports?.height ?? 0);
    expect([imports?.x, below < 40]).toEqual([20, true]);
    await dialog(page).getByLabel('several three').uncheck();
    await dialog(page).getByRole('button', { name: 'Import 2 notes' }).click();
    await message(page, 'Imported 2 notes').waitFor();

    for (const reason of [
      'Left out: 6',
      'latin.txt It is neither in UTF-8 nor in UTF-16',
      'tool.bin It is a binary file, which no format reads',
      'cut off.zip cut off.zip is damaged: it cannot be unpacked',
      'empty.txt, blank.txt It has no text\n2',
      'photo.jpg Notes keeps text; images cannot be stored',
    ]) {
      expect(said).toContain(reason);
    }
    const notes = (await all()).filter((note) => note.title.startsWith('several'));
    expect(notes.map(({ title, category }) => [title, category])).toEqual([
      ['several one', 'css'],
      ['several two', 'prompts'],
    ]);
    await page.locator('.row', { hasText: 'several two' }).waitFor();
  });

  test('an import into a group shows exactly its notes, and Undo archives these', async () => {
    const [before] = await stage.add(createDraft({ title: 'undone before', group: 'second' }));
    const page = await stage.showList({ query: '?category=css&q=none' });
    const shown = page.locator('.row', { hasText: 'undone' });

    await give(page, [
      { name: 'undone one.txt', content: 'one' },
      { name: 'undone two.css', content: 'a { }' },
    ]);
    await dialog(page).getByLabel('Group').selectOption('second');
    await dialog(page).getByRole('button', { name: 'Import 2 notes' }).click();
    await message(page, 'Imported 2 notes').waitFor();
    await page.locator('#count', { hasText: '2 notes imported' }).waitFor();
    const alone = await titles(page);
    await message(page, 'Imported 2 notes').getByRole('button', { name: 'Undo' }).click();
    await message(page, 'Undid the import: its 2 notes are in the archive').waitFor();
    await shown.first().waitFor();

    expect(alone.toSorted()).toEqual(['undone one', 'undone two']);
    expect(await shown.count()).toBe(1);
    const stored = (await all()).filter(({ title }) => title.startsWith('undone'));
    expect(stored.map(({ title, group, archived }) => [title, group, archived]).toSorted()).toEqual([
      ['undone before', 'second', false],
      ['undone one', 'second', true],
      ['undone two', 'second', true],
    ]);
    expect(await readNoteBody(fetch(`${stage.service.url}/api/notes/${before?.id}`))).toEqual(before as Note);
  });

  test('an import that was undone says the next time that its notes are in the archive, and brings them back', async () => {
    const [before] = await stage.add(createDraft({ title: 'again before' }));
    const page = await stage.showList();
    const lines = [
      before,
      { ...before, id: 900_200, title: 'again one' },
      { ...before, id: undefined, title: 'again two' },
    ];
    const files = [{ name: 'notes.ndjson', content: lines.map((note) => JSON.stringify(note)).join('\n') }];
    const isArchived = async () =>
      (await all())
        .filter(({ title }) => title.startsWith('again'))
        .map(({ title, archived }) => `${title} ${archived}`)
        .toSorted();

    await give(page, files);
    await dialog(page).getByRole('button', { name: 'Import 3 notes' }).click();
    await message(page, 'Imported 2 notes; 1 note already there').getByRole('button', { name: 'Undo' }).click();
    await message(page, 'Undid the import: its 2 notes are in the archive').waitFor();
    await give(page, files);
    await dialog(page).getByRole('button', { name: 'Import 3 notes' }).click();
    const second = message(page, 'Imported 0 notes; 3 notes already there, 2 of them in the archive');
    await second.getByRole('button', { name: 'Unarchive' }).click();
    await message(page, 'Unarchived 2 notes').waitFor();
    const broughtBack = await isArchived();
    await message(page, 'Unarchived 2 notes').getByRole('button', { name: 'Undo' }).click();
    await message(page, 'Undone: unarchiving of 2 notes').waitFor();

    expect(broughtBack).toEqual(['again before false', 'again one false', 'again two false']);
    expect(await isArchived()).toEqual(['again before false', 'again one true', 'again two true']);
  });

  test('Undo of an import leaves what was changed since, and what was there before', async () => {
    const [same] = await stage.add(createDraft({ title: 'left same' }));
    const page = await stage.showList({ forgiven: /status of 412/ });
    const lines = [
      same,
      { ...same, id: 900_100, title: 'left added' },
      { ...same, id: 900_101, title: 'left changed' },
    ];

    await give(page, [{ name: 'notes.ndjson', content: lines.map((note) => JSON.stringify(note)).join('\n') }]);
    await dialog(page).getByRole('button', { name: 'Import 3 notes' }).click();
    await message(page, 'Imported 2 notes; 1 note already there').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.locator('.row', { hasText: 'left same' }).waitFor();
    const url = `${stage.service.url}/api/notes/900101`;
    await fetch(url, createJsonRequest({ id: 900_101, title: 'left changed since' }, 'PUT'));
    await goOnByKeys(page);
    await page.keyboard.press('z');
    await message(page, '1 of 2 notes were not archived (“left changed').waitFor();

    const stored = (await all()).filter(({ title }) => title.startsWith('left'));
    expect(stored.map(({ title, archived }) => [title, archived]).toSorted()).toEqual([
      ['left added', true],
      ['left changed since', false],
      ['left same', false],
    ]);
  });

  test('a note that seems to hold a secret is listed without it, and left out unless it is ticked', async () => {
    const [noted] = await stage.add(createDraft({ title: 'Is there' }));
    if (!noted) throw new Error('no note');
    const page = await stage.show();
    const files = [
      { name: 'kept harmless.txt', content: 'ls' },
      { name: 'kept deploy.sh', content: `export GITHUB_TOKEN=${token}` },
      { name: 'kept login.sh', content: `login ${token}` },
      { name: 'kept.ndjson', content: freezeAndStringifyOnce({ ...noted, id: 900_001, title: `kept ${token}` }) },
    ];

    await give(page, files);
    await dialog(page).getByText('3 notes may hold secrets').waitFor();
    const said = await dialog(page).innerText();
    const markup = await dialog(page).innerHTML();
    await dialog(page).getByLabel('kept deploy').check();
    await dialog(page).getByRole('button', { name: 'Import 2 notes' }).click();
    await message(page, 'Imported 2 notes').waitFor();

    expect(said).toContain('a GitHub token');
    expect(said).toContain('line 1');
    expect(markup).not.toContain(token);
    const titles = (await all()).map((note) => note.title).filter((title) => title.startsWith('kept'));
    expect(titles.sort()).toEqual(['kept deploy', 'kept harmless']);
  });

  test('an export of this program is imported by id: existing notes stay, older ones are replaced', async () => {
    const [same, older] = await stage.add(createDraft({ title: 'Same' }), createDraft({ title: 'Older' }));
    if (!same || !older) throw new Error('no notes');
    const newer = { ...older, title: 'Newer', updatedAt: '2999-01-01T00:00:00.000Z' };
    const other = { ...same, id: 900_000, title: 'From elsewhere' };
    const page = await stage.show();

    const lines = [same, newer, other].map((note) => freezeAndStringifyOnce(note));
    await give(page, [{ name: 'notes.ndjson', content: [...lines, '{"title":"broken"}'].join('\n') }]);
    await dialog(page).getByText('notes.ndjson').or(dialog(page).getByText('line 4')).first().waitFor();
    await dialog(page).getByRole('button', { name: 'Import 3 notes' }).click();
    await message(page, 'Imported 2 notes; 1 note replaced an older version; 1 note already there').waitFor();

    const byId = (id: number) => readNoteBody(fetch(`${stage.service.url}/api/notes/${id}`));
    expect(await byId(older.id)).toEqual(newer);
    expect(await byId(other.id)).toEqual(other);
    expect(await byId(same.id)).toEqual(same);
  });

  test('an import whose answer was lost reports what is known, and a retry stores nothing twice', async () => {
    const page = await stage.show({ forgiven: /Failed to load resource/ });
    const lose = async (route: Route) => {
      await route.fetch();
      await route.abort('connectionreset');
    };
    await intercept(page, '**/merge', lose);

    await give(page, [
      { name: 'lost one.txt', content: 'one' },
      { name: 'lost two.txt', content: 'two' },
    ]);
    await dialog(page).getByRole('button', { name: 'Import 2 notes' }).click();
    await dialog(page).getByText('A batch of 2 notes was not stored, or its answer was lost').waitFor();
    const before = (await all()).filter((note) => note.title.startsWith('lost')).length;
    await page.unroute('**/merge', lose);
    await dialog(page).getByRole('button', { name: 'Retry' }).click();
    await message(page, 'Imported 0 notes; 2 notes already there').waitFor();

    expect(before).toBe(2);
    expect((await all()).filter((note) => note.title.startsWith('lost'))).toHaveLength(2);
  });

  test('with too many files the page says so, and the first ones can be imported', async () => {
    const page = await stage.show();

    await give(
      page,
      Array.from({ length: 1_002 }, (_, at) => ({ name: `many ${at}.txt`, content: String(at) })),
    );
    await dialog(page).getByText('Left out: 2').waitFor();

    await dialog(page).getByText('… and 800 more').waitFor();
    await dialog(page).getByText('The page imports at most 1,000 files').first().waitFor();
    await dialog(page).getByRole('button', { name: 'Import 1,000 notes' }).click();
    await message(page, 'Imported 1,000 notes').waitFor();
  });
});
