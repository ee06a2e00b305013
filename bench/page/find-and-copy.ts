/** From nothing to a known command in the clipboard: open the page, type the words of its title, press Enter. */
import type { Browser, Page } from 'playwright-core';
import type { Note } from '../../src/core/note.ts';
import { removePromptsAndFinalLineEnds } from '../../src/core/text/shell-prompts.ts';
import { readNotesBody, type Service } from '../../test/support/service.ts';
import { viewport } from './stage.ts';

/** Commands whose title belongs to no other note, and that are copied without filling in placeholders. */
export async function findKnownCommands(service: Service, count: number): Promise<Note[]> {
  const notes = await readNotesBody(fetch(`${service.url}/api/notes?category=bash-commands`));
  const isKnown = ({ title, content }: Note) =>
    !content.includes('{{') && notes.filter((other) => other.title.includes(title)).length === 1;
  return notes
    .filter((_, index) => index % 30 === 0)
    .filter(isKnown)
    .slice(0, count);
}

/** The ms until the page says that it has copied the note. Throws unless what runs of the note can be pasted. */
export const measureFindAndCopyMs = (browser: Browser, service: Pick<Service, 'url'>, note: Note): Promise<number> =>
  measureVisitToCopyMs(browser, service.url, note.title, removePromptsAndFinalLineEnds(note.content));

/** The same in the floor, which copies the typed text. */
export const measureFloorVisitToCopyMs = (
  browser: Browser,
  floor: Pick<Service, 'url'>,
  { title }: Note,
): Promise<number> => measureVisitToCopyMs(browser, floor.url, title, title);

/** Types as fast as a quick typist. */
async function measureVisitToCopyMs(browser: Browser, url: string, typed: string, expected: string): Promise<number> {
  await using context = await browser.newContext({ viewport, permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  const started = performance.now();
  await page.goto(url);
  await page.keyboard.type(typed, { delay: 10 });
  await page.keyboard.press('Enter');
  await page.getByText('Copied').first().waitFor();
  const ms = performance.now() - started;
  await assertClipboardHolds(page, expected);
  return ms;
}

async function assertClipboardHolds(page: Page, expected: string): Promise<void> {
  const pasted = await page.evaluate(() => navigator.clipboard.readText());
  if (pasted !== expected) throw new Error(`“${expected.slice(0, 200)}” was not copied, but: ${pasted.slice(0, 200)}`);
}
