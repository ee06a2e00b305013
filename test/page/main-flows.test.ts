/** What people do on the page every day, each from its first key to its end. The other suites look at the parts. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Note, NoteDraft } from '../../src/core/note.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import {
  createJsonRequest,
  createTemporaryFolder,
  readNoteBody,
  readNotesBody,
  startService,
} from '../support/service.ts';
import { addNotes, clipboard, contentField, phone, row, titles, useStage } from './visit.ts';

const stage = useStage();

const fetchNote = (id: number) => readNoteBody(fetch(`${stage.service.url}/api/notes/${id}`));
const fetchNotes = (query: string) => readNotesBody(fetch(`${stage.service.url}/api/notes?${query}`));
const titleField = (page: Page) => page.locator('.note-form [name=title]');
const waitForMessage = (page: Page, text: string) => page.locator('.message', { hasText: text }).first().waitFor();

async function addNote(changes: Partial<NoteDraft>): Promise<Note> {
  const [note] = await stage.add(createDraft(changes));
  if (note === undefined) throw new Error('The note was not stored');
  return note;
}

test('a note is written by keys alone, and shown', async () => {
  const page = await stage.showList();

  await page.keyboard.press('n');
  await titleField(page).fill('Focus ring');
  await contentField(page).fill(':focus-visible { outline: auto }');
  await page.keyboard.press('Control+Enter');
  await waitForMessage(page, 'Saved “Focus ring”');

  await page.locator('#detail', { hasText: 'Focus ring' }).waitFor();
  await page.locator('.at-cursor', { hasText: 'Focus ring' }).waitFor();
  expect(await fetchNotes('')).toMatchObject([{ title: 'Focus ring', content: ':focus-visible { outline: auto }' }]);
});

test('a note is found by two words, one of them mistyped, and copied by Enter', async () => {
  await stage.add(
    createDraft({ title: 'Walrus moustache', content: 'whiskers' }),
    createDraft({ title: 'Walrus', content: 'tusks' }),
  );
  const page = await stage.show();

  await page.keyboard.type('walrus mosutache');
  await page.locator('.at-cursor', { hasText: 'Walrus moustache' }).waitFor();
  await page.keyboard.press('Enter');
  await waitForMessage(page, 'Copied “Walrus moustache”');

  expect(await clipboard(page)).toBe('whiskers');
});

test('a prompt asks for its values, and is copied with them', async () => {
  const note = await addNote({
    title: 'Review',
    content: 'Review this {{language}} code: {{code}}',
    category: 'prompts',
  });
  const page = await stage.showList({ query: `?note=${note.id}` });

  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'language' }).fill('Go');
  await page.getByRole('textbox', { name: 'code' }).fill('x := 1');
  await page.keyboard.press('Enter');
  await waitForMessage(page, 'Copied “Review”');

  expect(await clipboard(page)).toBe('Review this Go code: x := 1');
});

test('filters narrow the list: one in the sidebar and one that is typed', async () => {
  await stage.add(
    createDraft({ title: 'Grid', category: 'css', group: 'second' }),
    createDraft({ title: 'Flex', category: 'css', group: 'third' }),
    createDraft({ title: 'Tar', category: 'bash-commands', group: 'third' }),
  );
  const page = await stage.show();

  await page
    .getByRole('navigation', { name: 'Filters' })
    .getByRole('button', { name: /^css\b/ })
    .click();
  await page.waitForFunction(() => document.querySelectorAll('.row').length === 2);
  await page.locator('#search').fill('');
  await page.locator('#search').pressSequentially('g:third ');
  await page.waitForFunction(() => document.querySelectorAll('.row').length === 1);

  expect(await titles(page)).toEqual(['Flex']);
});

test('a note is edited, its former text is in the history, and brought back from there', async () => {
  const note = await addNote({ title: 'Greeting', content: 'Hello' });
  const page = await stage.showList({ query: `?note=${note.id}` });

  await page.keyboard.press('e');
  await contentField(page).fill('Good morning');
  await page.keyboard.press('Control+Enter');
  await waitForMessage(page, 'Saved “Greeting”');
  const edited = await fetchNote(note.id);
  await page.keyboard.press('h');
  await page.getByRole('button', { name: 'Revert to this version' }).click();
  await waitForMessage(page, 'Reverted');

  expect(edited.content).toBe('Good morning');
  expect((await fetchNote(note.id)).content).toBe('Hello');
});

test('a note is archived, and comes back by Undo', async () => {
  const note = await addNote({ title: 'Old', category: 'host-town' });
  const page = await stage.showList({ query: '?category=host-town' });

  await row(page, note).getByRole('link').focus();
  await page.keyboard.press('a');
  await row(page, note).waitFor({ state: 'detached' });
  expect(await isEventuallyTrue(async () => (await fetchNote(note.id)).archived)).toBe(true);
  await page.keyboard.press('z');
  await row(page, note).waitFor();

  expect(await isEventuallyTrue(async () => !(await fetchNote(note.id)).archived)).toBe(true);
});

test('an edit of a note that somebody else has changed overwrites nothing unasked', async () => {
  const note = await addNote({ title: 'Base', content: 'base text' });
  const page = await stage.showList({ query: `?note=${note.id}`, forgiven: /412/ });

  await page.keyboard.press('e');
  await titleField(page).fill('Mine');
  await fetch(
    `${stage.service.url}/api/notes/${note.id}`,
    createJsonRequest({ id: note.id, content: 'their text' }, 'PUT'),
  );
  await page.keyboard.press('Control+Enter');
  await page.getByRole('region', { name: 'Theirs' }).waitFor();
  const before = await fetchNote(note.id);
  await page.getByRole('button', { name: 'Keep mine', exact: true }).click();
  await waitForMessage(page, 'Saved “Mine”');

  expect(before).toMatchObject({ title: 'Base', content: 'their text' });
  expect(await fetchNote(note.id)).toMatchObject({ title: 'Mine', content: 'base text' });
});

test('a note that is written elsewhere appears at once', async () => {
  const note = await addNote({ title: 'Followed' });
  const page = await stage.showList();

  await fetch(`${stage.service.url}/api/notes/${note.id}`, createJsonRequest({ id: note.id, title: 'Renamed' }, 'PUT'));
  await row(page, note).getByText('Renamed').waitFor();
  const added = await addNote({ title: 'Just written' });
  await row(page, added).waitFor();
});

test('a phone shows the list, then a note with its Copy, and Back shows the list again', async () => {
  const note = await addNote({ title: 'On the way', content: 'ticket 4711' });
  const page = await stage.show({ viewport: phone });

  await row(page, note).getByRole('link').click();
  await page.locator('#detail').getByText('ticket 4711').waitFor();
  await page.locator('#detail').getByRole('button', { name: 'Copy', exact: true }).first().click();
  await waitForMessage(page, 'Copied “On the way”');
  await page.goBack();
  await row(page, note).waitFor();

  expect(await clipboard(page)).toBe('ticket 4711');
});

test('what is typed while the service is stopped is stored once it is back', async () => {
  using folder = createTemporaryFolder();
  const settings = { DATABASE_URL: `sqlite:${join(folder.path, 'notes.db')}` };
  const stopped = await startService(settings);
  const [note] = await addNotes(stopped, [createDraft({ title: 'Still here' })]);
  if (note === undefined) throw new Error('The note was not stored');
  await using visit = await stage.visitList({ url: stopped.url, forgiven: /Failed to load resource/ });
  const { page } = visit;

  await page.waitForFunction(() => customElements.get('content-editor')); // else a text area stands in for the editor
  await stopped.stop();
  await page.keyboard.press('n');
  await titleField(page).fill('Written offline');
  await contentField(page).fill('without a service');
  await page.keyboard.press('Control+Enter');
  await page.locator('.draft-row', { hasText: 'Not sent yet' }).waitFor();
  await using service = await startService({ ...settings, PORT: String(stopped.port) });

  await waitForMessage(page, 'Saved “Written offline”');

  const stored = await readNotesBody(fetch(`${service.url}/api/notes`));
  expect(stored.map(({ title }) => title)).toEqual(['Still here', 'Written offline']);
});
