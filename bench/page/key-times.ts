/** From a key in the search to the frame in which the list shows its result, whichever thread has found it. */
import type { Page } from 'playwright-core';

/** What the list shows for each text that is typed: the number of results, and the ids of its first twelve rows. */
export type ShownLists = Readonly<Record<string, string>>;

declare global {
  interface Window {
    /** Reads what the list shows now. */
    readShownList(): string;
    keyTimes: number[];
  }
}

const stableMs = 500;

/** The texts that the search has in turn while `texts` are typed and taken away letter by letter. */
function listTypedTexts(texts: readonly string[]): string[] {
  return texts.flatMap((text) => {
    const beginnings = Array.from({ length: text.length + 1 }, (_, length) => text.slice(0, length));
    return [...beginnings.slice(1), ...beginnings.toReversed().slice(1)];
  });
}

/** Passes over all texts, before learning is given up. */
const maxPasses = 6;

/**
 * Learns what the list shows for each text, by waiting until it has been the same for half a second. It is done once,
 * in a page of its own, so that nothing is waited for or asked while keys are measured. A worker that is still getting
 * the notes may take longer than that, and the list before would be learned: only what two passes in turn have seen
 * counts. Throws if no two do.
 */
export async function learnShownLists(page: Page, texts: readonly string[]): Promise<ShownLists> {
  await installListReader(page);
  let before = await readAllLists(page, texts);
  for (let pass = 2; pass <= maxPasses; pass++) {
    const lists = await readAllLists(page, texts);
    if (Bun.deepEquals(lists, before)) return lists;
    before = lists;
  }
  throw new Error(`The list showed different results for the same texts in ${maxPasses} passes`);
}

async function readAllLists(page: Page, texts: readonly string[]): Promise<ShownLists> {
  const lists: Record<string, string> = {};
  for (const text of new Set([...listTypedTexts(texts), ''])) {
    await page.locator('#search').fill(text);
    lists[text] = await page.evaluate(readStableList, stableMs);
  }
  return lists;
}

async function readStableList(stableMs: number): Promise<string> {
  let last = window.readShownList();
  for (let since = performance.now(); performance.now() - since < stableMs; ) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    const list = window.readShownList();
    if (list !== last) since = performance.now();
    last = list;
  }
  return last;
}

const installListReader = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const firstRows = 12;
    window.readShownList = () => {
      const ids: string[] = [];
      for (const row of document.querySelectorAll('.row')) {
        const place = Number(row.getAttribute('aria-posinset'));
        const link = row.matches('[data-row]') ? row : row.querySelector('[data-row]');
        if (place <= firstRows) ids[place] = link?.getAttribute('data-row') ?? '';
      }
      return `${document.querySelector('#count')?.textContent}: ${ids.join()}`;
    };
  });

/**
 * Begins to measure, for every key from now on, the ms from the event of the key to the first task after the frame that
 * shows its list. A key that is overtaken by later ones counts to the frame that shows the list of a later one. A key
 * that leaves the list as it was is not measured, as nothing shows when its result was found.
 */
async function startRecordingKeyTimes(page: Page, lists: ShownLists): Promise<void> {
  await installListReader(page);
  await page.evaluate((lists) => {
    const times: number[] = [];
    window.keyTimes = times;
    let waiting: { pressedAt: number; list: string | undefined }[] = [];
    let pressedAt = 0;
    let expected = window.readShownList();
    const look = () => {
      const shown = window.readShownList();
      const at = waiting.findLastIndex(({ list }) => list === shown);
      const done = waiting.slice(0, at + 1);
      waiting = waiting.slice(at + 1);
      if (waiting.length > 0) requestAnimationFrame(look);
      if (done.length === 0) return;
      const record = () => {
        for (const key of done) times.push(performance.now() - key.pressedAt);
      };
      // A task of this priority runs next after the frame: no timer or message comes before it.
      void scheduler.postTask(record, { priority: 'user-blocking' });
    };
    const onKey = ({ timeStamp }: KeyboardEvent) => {
      pressedAt = timeStamp;
    };
    const onInput = ({ target }: Event) => {
      const list = target instanceof HTMLInputElement ? lists[target.value] : undefined;
      if (list === expected) return;
      expected = list ?? '';
      waiting.push({ pressedAt, list });
      if (waiting.length === 1) requestAnimationFrame(look);
    };
    addEventListener('keydown', onKey, true);
    addEventListener('input', onInput, true);
  }, lists);
}

/** A session begins cold: its first keys are typed and not counted. */
const uncountedKeys = 5;

/** The pause between typing a text and taking it away. */
const turnMs = 500;

/**
 * Types the texts, takes each away letter by letter, and returns the times in ms in the order of the keys, without the
 * first five. Throws if the list of a key was never shown.
 */
export async function measureKeyTimesMs(page: Page, texts: readonly string[], lists: ShownLists): Promise<number[]> {
  await page.locator('#search').focus();
  await startRecordingKeyTimes(page, lists);
  for (const text of texts) {
    await page.keyboard.type(text, { delay: 60 });
    await page.waitForTimeout(turnMs); // an earlier list comes again: it must not still be shown
    for (const _ of text) await page.keyboard.press('Backspace', { delay: 60 });
    await page.waitForTimeout(turnMs);
  }
  const typed = ['', ...listTypedTexts(texts)];
  const changes = typed.filter((text, index) => index > 0 && lists[text] !== lists[typed[index - 1] ?? '']).length;
  await page.waitForFunction((changes) => window.keyTimes.length === changes, changes, { timeout: 10_000 });
  return (await page.evaluate(() => window.keyTimes)).slice(uncountedKeys);
}
