/** Takes the pictures of README and docs/page.md, and of the page before its first note. */
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import sharp from 'sharp';
import type { NoteDraft } from '../src/core/note.ts';
import { openSqlite } from '../src/store/open-sqlite.ts';
import { openBrowser } from '../test/support/browser.ts';
import { createCorpus } from '../test/support/data/corpus.ts';
import { createTemporaryFolder, startService } from '../test/support/service.ts';

const folder = join(import.meta.dir, '..', 'docs', 'pictures');
const web = join(import.meta.dir, '..', 'src', 'page');
const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 780 };

interface Picture {
  readonly name: string;
  readonly viewport: typeof desktop;
  readonly colorScheme: 'light' | 'dark';
  readonly query?: string;
  readonly prepare?: (page: Page) => Promise<void>;
}

/** Opens a visible note. */
const createNoteOpener = (title: string) => async (page: Page) => {
  await page.locator('[data-row]', { hasText: title }).click();
  await page.locator('#detail h2').waitFor();
};

const search = '?q=git';

const pictures: readonly Picture[] = [
  {
    name: 'desktop-light',
    viewport: desktop,
    colorScheme: 'light',
    query: search,
    prepare: createNoteOpener('Git: the way back'),
  },
  {
    name: 'desktop-dark',
    viewport: desktop,
    colorScheme: 'dark',
    query: search,
    prepare: createNoteOpener('Git: the way back'),
  },
  { name: 'board-light', viewport: desktop, colorScheme: 'light', query: '?view=board' },
  {
    name: 'write-dark',
    viewport: desktop,
    colorScheme: 'dark',
    prepare: async (page) => {
      await createNoteOpener('Review a change')(page);
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await page.locator('content-editor').waitFor();
    },
  },
  { name: 'phone-light', viewport: phone, colorScheme: 'light' },
  {
    name: 'phone-dark',
    viewport: phone,
    colorScheme: 'dark',
    query: '?category=css',
    prepare: createNoteOpener('Visually hidden'),
  },
];

/** The legible notes of the pictures, newest last. */
const read: readonly NoteDraft[] = [
  {
    title: 'Why is my index not used?',
    content:
      '**Q:** The index on `email` is ignored by `lower(email) = …`. Why?\n\n**A:** Make one on the expression.\n',
    category: 'chat-tool',
    group: 'third',
    color: 'secondary',
  },
  {
    title: 'Build machine',
    content: 'Host:    build.example.org\nSSH:     ssh -p 2222 deploy@build.example.org\nBackup:  daily at 03:15\n',
    category: 'host-town',
    group: 'second',
    color: 'warning',
  },
  {
    title: 'Find big files',
    content: '$ find . -type f -size +10M -exec du -h {} + | sort -rh | head\n',
    category: 'bash-commands',
    group: 'fourth',
    color: 'info',
  },
  {
    title: 'Visually hidden, still read out',
    content:
      '/* For screen readers, until it has the focus. */\n.sr-only:not(:focus) {\n  position: absolute;\n  width: 1px;\n  height: 1px;\n  overflow: hidden;\n  clip-path: inset(50%);\n  white-space: nowrap;\n}\n',
    category: 'css',
    group: 'second',
    color: 'accent',
  },
  {
    title: 'Git: delete branches that are merged',
    content: '$ git branch --merged main | grep -v main | xargs git branch -d\n',
    category: 'bash-commands',
    group: 'first',
    color: 'error',
  },
  {
    title: 'Review a change',
    content:
      'Review this change as {{role}} would. Look for what breaks, then for what can go.\n\n- One finding per line, the worst first.\n- File and line, what happens, the smallest mend.\n- Nothing found is a fine answer.\n\n{{git diff}}\n',
    category: 'prompts',
    group: 'first',
    color: 'primary',
  },
  {
    title: 'Git: the way back',
    content: `What was committed is not lost for weeks: **look before you reset**.

| What went wrong | What helps |
|---|---|
| the message | \`git commit --amend\` |
| the last commit | \`git reset --soft HEAD~1\` |
| it is pushed | \`git revert <commit>\` |

A branch that was deleted is still in the log:

\`\`\`sh
$ git reflog --date=relative | head -n 20
$ git switch -c rescued 3f1c2ab
\`\`\`

- [x] tried on a copy
- [ ] told the others
`,
    category: 'notes',
    group: 'first',
    color: 'success',
  },
];

/** Not every machine has fonts for all scripts. */
const undrawable = /[^\p{Script=Latin}\p{Script=Hebrew}\p{Script=Common}\p{Script=Inherited}]|\p{Emoji_Presentation}/u;
const isDrawable = ({ title, content }: NoteDraft) => !undrawable.test(title + content);

using notes = createTemporaryFolder();
const path = join(notes.path, 'notes.db');
await fillDatabaseWithNotes(path, 240);
await using service = await startService({ DATABASE_URL: `sqlite:${path}` });
const browser = await openBrowser();
try {
  for (const picture of pictures) await takePicture(browser, picture);
  await recordAnimation(browser, join(folder, 'search.webp'), { viewport: { width: 1000, height: 600 } });
  for (const colorScheme of ['light', 'dark'] as const) {
    await recordAnimation(browser, join(web, `loop-${colorScheme}.webp`), {
      viewport: { width: 640, height: 400 },
      colorScheme,
    });
  }
} finally {
  await browser.close();
}

/** Stores notes of the last three months, the last ones of today. */
async function fillDatabaseWithNotes(path: string, count: number): Promise<void> {
  const quarter = 90 * 86_400_000;
  let left = count + read.length;
  const now = () => Math.round(Date.now() - quarter * (left / count) ** 2);
  await using store = await openSqlite({ path, now });
  const others = createCorpus(2 * count, 7)
    .filter(isDrawable)
    .slice(0, count);
  for (const draft of [...others, ...read]) {
    left--;
    await store.create(draft);
  }
}

async function takePicture(browser: Browser, { name, query = '', prepare, ...options }: Picture): Promise<void> {
  await using context = await browser.newContext({ ...options, locale: 'en-GB', deviceScaleFactor: 2 });
  const page = await context.newPage();
  await page.goto(`${service.url}/${query}`);
  await page.locator('[data-row]').first().waitFor();
  await prepare?.(page);
  await page.waitForTimeout(500); // code is highlighted after its script has loaded
  await page.screenshot({ path: join(folder, `${name}.png`) });
  console.log(`docs/pictures/${name}.png`);
}

/** The animation of the README and of the page before its first note: types a word, copies the first hit. */
async function recordAnimation(browser: Browser, path: string, options: BrowserContextOptions): Promise<void> {
  await using context = await browser.newContext({ locale: 'en-GB', ...options });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  await page.goto(service.url);
  await page.locator('[data-row]').first().waitFor();
  const frames: { readonly image: Buffer; readonly ms: number }[] = [];
  const show = async (ms: number) => {
    await page.waitForTimeout(400); // animations have ended
    frames.push({ image: await page.screenshot(), ms });
  };
  await show(600);
  for (const key of 'git') {
    await page.keyboard.press(key);
    await show(180);
  }
  await show(460);
  await page.keyboard.press('Enter');
  await show(1_400);
  frames.unshift(...frames.splice(-1)); // it is shown where nothing may move
  const [images, delay] = [frames.map(({ image }) => image), frames.map(({ ms }) => ms)];
  await sharp(images, { join: { animated: true } })
    .webp({ delay, loop: 0, quality: 60 })
    .toFile(path);
  console.log(path);
}
