/** Takes a small picture of each state of the page, and writes docs/page-states.md, the table of them. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { NoteDraft } from '../src/core/note.ts';
import { openBrowser } from '../test/support/browser.ts';
import { corpus } from '../test/support/data/corpus.ts';
import { token } from '../test/support/data/secrets.ts';
import { jsonBody, noteIn, type Service, startService } from '../test/support/service.ts';

const docs = join(import.meta.dir, '..', 'docs');
const folder = join(docs, 'pictures', 'states');
const desktop = { width: 1280, height: 720 };
const phone = { width: 390, height: 720 };
/** The width of a picture, in px. */
const pictureWidth = 560;
const accessToken = 'correct-horse-battery';

interface State {
  readonly name: string;
  /** How one comes to it. */
  readonly how: string;
  readonly query?: string;
  readonly viewport?: typeof desktop;
  readonly isDark?: boolean;
  /** Whether there is no note in the store. */
  readonly isEmpty?: boolean;
  /** Whether the service asks for a token. */
  readonly isLocked?: boolean;
  /** What happens before the page is opened. */
  readonly before?: (page: Page) => Promise<unknown>;
  readonly after?: (page: Page) => Promise<unknown>;
}

const hang = (page: Page) => page.route(/\/api\/(notes|search\?.*)$/, () => {});
const pass = (ms: number) => async (page: Page) => {
  await page.locator('.list-pane').waitFor();
  await page.clock.runFor(ms);
};
const hanging = async (page: Page) => {
  await page.clock.install();
  await hang(page);
};
const press = (keys: string, shown: string) => async (page: Page) => {
  await page.locator('.row').first().waitFor();
  await page.locator('.at-cursor').focus();
  for (const key of keys.split(' ')) await page.keyboard.press(key);
  await page.locator(shown).first().waitFor();
};
const filled = '?q=Review+a+change';
const changed = '?q=Name+the+release';

const drop = (script: string) => async (page: Page) => {
  await page.locator('.row').first().waitFor();
  await page.evaluate(`
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['a { color: red }'], 'button.css'));
    dataTransfer.items.add(new File(['${script}'], 'list.sh'));
    dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true, bubbles: true }));`);
  await page.getByRole('dialog').waitFor();
};

/** Browsers repeat the event as long as files are over the page. */
const dragFiles = async (page: Page) => {
  await page.locator('.row').first().waitFor();
  await page.evaluate(`
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([], 'button.css'));
    setInterval(() => dispatchEvent(new DragEvent('dragover', { dataTransfer })), 100);`);
  await page.getByText('Drop files').waitFor();
};

const conflict = async (page: Page) => {
  await press('e', '#detail textarea')(page);
  const id = new URL(page.url()).searchParams.get('note');
  const theirs = { id: Number(id), content: 'What was saved elsewhere meanwhile.\n' };
  await page.locator('#detail textarea').fill('What is typed here.\n');
  await page.route('**/api/events*', (route) => route.abort());
  await page.request.put(`${new URL(page.url()).origin}/api/notes/${id}`, { data: theirs });
  await page.keyboard.press('Control+Enter');
  await page.getByText('Keep mine').first().waitFor();
};

const leaveDraft = async (page: Page) => {
  await press('n', '.note-form [name=title]')(page);
  await page.locator('.note-form [name=title]').fill('Half a thought');
  await page.locator('.form-state', { hasText: /^Draft$/ }).waitFor();
  await page.locator('.note-form [name=title]').press('Escape');
  await page.getByText('is not saved').waitFor();
};

const select = press('x Shift+ArrowDown Shift+ArrowDown', '[aria-label="Selected notes"]');
const clickForDialog = (name: string) => async (page: Page) => {
  await page.getByRole('button', { name }).click();
  await page.getByRole('dialog').waitFor();
};
const changeSelected = async (page: Page) => {
  await select(page);
  await clickForDialog('Category, group, color')(page);
};

const endSession = async (page: Page) => {
  await page.locator('[name=token]').fill(accessToken);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'New' }).click();
  await page.locator('.note-form [name=title]').fill('Half a thought');
  await page.locator('.note-form [name=content]').fill('Its other half\n');
  await page.context().clearCookies();
  await page.keyboard.press('Control+Enter');
  await page.getByText('You are signed out').waitFor();
};

const away = async (page: Page) => {
  await page.locator('.row').first().waitFor();
  await page.route('**/api/**', (route) => route.abort());
  await page.evaluate(`dispatchEvent(new Event('offline'))`);
  await page.locator('.banner .notice').waitFor();
};

const states: readonly State[] = [
  { name: 'list', how: 'open the page' },
  { name: 'dark', how: 'theme dark (`t`)', isDark: true },
  { name: 'loading', how: 'the list takes 200 ms', before: hanging, after: pass(300) },
  { name: 'still loading', how: '5 s', before: hanging, after: pass(5_300) },
  { name: 'retry', how: '10 s', before: hanging, after: pass(10_300) },
  {
    name: 'error',
    how: 'the service refuses the list',
    before: (page) =>
      page.route('**/api/notes', (route) =>
        route.fulfill({ status: 503, json: { error: 'The database is unavailable' } }),
      ),
  },
  { name: 'empty', how: 'no note yet', isEmpty: true },
  { name: 'search', how: 'type `git`', query: '?q=git' },
  { name: 'no hit', how: 'type what no note has', query: '?q=xylophonist' },
  { name: 'elsewhere', how: 'type what another place has', query: '?q=review+a+change&category=css' },
  { name: 'filtered', how: 'type `c:prompts,notes g:first`', query: '?category=prompts,notes&group=first' },
  { name: 'archive', how: 'Archived, empty', query: '?archived=true' },
  { name: 'pinned', how: 'Pinned, without pins', query: '?pinned=true' },
  { name: 'ignored', how: '`?group=sixth`', query: '?group=sixth' },
  { name: 'missing', how: '`?note=999`', query: '?note=999' },
  { name: 'archived', how: '`a`: Undo for 10 s', query: '?category=css', after: press('a', '.message-undoable') },
  { name: 'away', how: 'no answer', after: away },
  { name: 'note', how: '`o`', query: filled, after: press('o', '.markdown') },
  { name: 'editor', how: '`e`', query: filled, after: press('e', '#detail textarea') },
  { name: 'preview', how: '`n`, Ctrl+Shift+P', after: press('n Control+Shift+P', '.form-preview') },
  { name: 'draft', how: 'Esc in a form', after: leaveDraft },
  { name: 'conflict', how: 'save what was changed elsewhere', query: changed, after: conflict },
  { name: 'history', how: '`h`', query: changed, after: press('h', 'dialog [role=option]') },
  {
    name: 'placeholders',
    how: 'Enter on a note with `{{names}}`',
    query: filled,
    after: press('Enter', 'dialog textarea'),
  },
  { name: 'selection', how: '`x`, Shift and arrows', after: select },
  { name: 'change', how: 'Category, group, color', after: changeSelected },
  { name: 'dragging', how: 'drag files', after: dragFiles },
  { name: 'drop', how: 'drop several files', after: drop('$ ls -la') },
  { name: 'secrets', how: 'with a secret', after: drop(`login ${token}`) },
  { name: 'board', how: 'Board', query: '?view=board' },
  { name: 'help', how: '`?`', after: press('?', 'dialog caption') },
  { name: 'commands', how: 'Ctrl+Shift+K, or `>`', after: press('Control+Shift+K', '[role=option]') },
  { name: 'sign in', how: 'with a token', isLocked: true },
  { name: 'signed out', how: 'the session ends', isLocked: true, after: endSession },
  { name: 'phone', how: '390 px wide', viewport: phone },
  { name: 'phone, filters', how: 'Filters', viewport: phone, after: clickForDialog('Filters') },
  { name: 'phone, note', how: 'tap a row', viewport: phone, query: filled, after: press('o', '.markdown') },
  { name: 'phone, dark', how: 'theme dark', viewport: phone, isDark: true },
  { name: '400 % zoom', how: '320 × 256 px', viewport: { width: 320, height: 256 } },
];

const review: NoteDraft = {
  title: 'Review a change',
  content:
    'Review this change as {{role}} would. **Look for what breaks**, then for what can go.\n\n- [x] one finding per line\n- [ ] the worst first\n\n```sh\n$ git diff {{branch=main}}\n```\n',
  category: 'prompts',
  group: 'first',
  color: 'primary',
};

const release: NoteDraft = {
  title: 'Name the release',
  content: 'Three names of one word each.\n',
  category: 'prompts',
  group: 'second',
  color: 'info',
};

await using empty = await startService();
await using full = await startService();
await using locked = await startService({ ACCESS_TOKEN: accessToken });
/** Machines that take pictures seldom have fonts for all scripts. */
const undrawable = /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]|\p{Emoji_Presentation}/u;
const notes = corpus(200, 7).filter(({ title, content }) => !undrawable.test(title + content));
for (const draft of [...notes.slice(0, 60), review]) await fetch(`${full.url}/api/notes`, jsonBody(draft));
const { id } = await noteIn(fetch(`${full.url}/api/notes`, jsonBody(release)));
const later = { id, content: `${release.content}Say why.\n` };
await noteIn(fetch(`${full.url}/api/notes/${id}`, jsonBody(later, 'PUT')));
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const browser = await openBrowser();
try {
  for (const state of states) await take(browser, state.isLocked ? locked : state.isEmpty ? empty : full, state);
} finally {
  await browser.close();
}
await Bun.write(join(docs, 'page-states.md'), table());

async function take(browser: Browser, service: Pick<Service, 'url'>, state: State): Promise<void> {
  const { viewport = desktop, isDark, query = '', before, after } = state;
  const colorScheme = isDark ? 'dark' : 'light';
  await using context = await browser.newContext({ viewport, colorScheme, locale: 'en-GB', serviceWorkers: 'block' });
  context.setDefaultTimeout(8_000);
  const page = await context.newPage();
  await before?.(page);
  await page.goto(`${service.url}/${query}`, { waitUntil: 'domcontentloaded' });
  if (!before) await page.locator('#count:not(:empty), [name=token]').first().waitFor();
  await after?.(page);
  if (!before) await page.waitForTimeout(700); // notes are rendered, and what moves has come to rest
  const session = await context.newCDPSession(page);
  const scale = Math.min(1, pictureWidth / viewport.width);
  const clip = { x: 0, y: 0, ...viewport, scale };
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 70, clip });
  await Bun.write(join(folder, fileOf(state)), Buffer.from(data, 'base64'));
  console.log(fileOf(state));
}

function fileOf({ name }: State): string {
  return `${name.replace(/\W+/g, '-')}.webp`;
}

function table(): string {
  const rows = states.map((state) => `${state.how}\n\n![${state.name}](pictures/states/${fileOf(state)})`);
  return `# States of the page

\`bun scripts/page-states.ts\` makes this page.

${rows.join('\n\n')}
`;
}
