/** Takes the pictures that README and docs/page.md show, and draws the icon for phones: `npm run pictures` writes docs/pictures. */
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { NoteDraft } from '../src/domain/note.ts';
import { openSqlite } from '../src/store/sqlite/open.ts';
import { openBrowser } from '../test/browser.ts';
import { corpus } from '../test/corpus.ts';
import { startService, temporaryFolder } from '../test/service.ts';

const folder = join(import.meta.dir, '..', 'docs', 'pictures');
const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 780 };

interface Picture {
  readonly name: string;
  readonly viewport: typeof desktop;
  readonly colorScheme: 'light' | 'dark';
  readonly query?: string;
  readonly prepare?: (page: Page) => Promise<void>;
}

/** Opens the first note that is found. */
const openFirst = async (page: Page): Promise<void> => {
  await page.keyboard.press('o');
  await page.locator('#detail h2').waitFor();
};

const search = '?q=git';

const pictures: readonly Picture[] = [
  { name: 'desktop-light', viewport: desktop, colorScheme: 'light', query: search, prepare: openFirst },
  { name: 'desktop-dark', viewport: desktop, colorScheme: 'dark', query: search, prepare: openFirst },
  { name: 'board-light', viewport: desktop, colorScheme: 'light', query: '?view=board' },
  {
    name: 'write-dark',
    viewport: desktop,
    colorScheme: 'dark',
    prepare: async (page) => {
      await openFirst(page);
      await page.keyboard.press('e');
      await page.locator('textarea').waitFor();
    },
  },
  { name: 'phone-light', viewport: phone, colorScheme: 'light' },
  { name: 'phone-dark', viewport: phone, colorScheme: 'dark', query: '?category=css', prepare: openFirst },
];

using notes = temporaryFolder();
const path = join(notes.path, 'notes.db');
await fill(path, 240);
await using service = await startService({ DATABASE_URL: `sqlite:${path}` });
const browser = await openBrowser();
try {
  for (const picture of pictures) await take(browser, picture);
  await drawIcon(browser);
} finally {
  await browser.close();
}

/** Machines that take pictures seldom have fonts for all scripts. */
const undrawable = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Emoji_Presentation}/u;
const isDrawable = ({ title, content }: NoteDraft) => !undrawable.test(title + content);

/** Notes as they come together in a quarter of a year, the last ones today. */
async function fill(path: string, count: number): Promise<void> {
  const quarter = 90 * 86_400_000;
  let left = count;
  const now = () => Math.round(Date.now() - quarter * (left / count) ** 3);
  await using store = openSqlite({ path, now });
  for (const draft of corpus(2 * count, 7)
    .filter(isDrawable)
    .slice(0, count)) {
    left--;
    await store.create(draft);
  }
}

async function take(browser: Browser, { name, query = '', prepare, ...options }: Picture): Promise<void> {
  await using context = await browser.newContext({ ...options, locale: 'en-GB', deviceScaleFactor: 2 });
  const page = await context.newPage();
  await page.goto(`${service.url}/${query}`);
  await page.locator('[data-row]').first().waitFor();
  await prepare?.(page);
  await page.waitForTimeout(500); // code is coloured once its part of the page has arrived
  await page.screenshot({ path: join(folder, `${name}.png`) });
  console.log(`docs/pictures/${name}.png`);
}

/** Phones want an icon in pixels, without round corners. */
async function drawIcon(browser: Browser): Promise<void> {
  const web = join(import.meta.dir, '..', 'src', 'web');
  const svg = await Bun.file(join(web, 'icon.svg')).text();
  const page = await browser.newPage({ viewport: { width: 180, height: 180 } });
  await page.setContent(`<style>body { margin: 0 } svg { display: block }</style>${svg.replace('rx="14"', '')}`);
  await page.screenshot({ path: join(web, 'icon.png') });
  await page.close();
}
