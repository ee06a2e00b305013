import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { isEventuallyTrue } from '../support/eventually.ts';

const folder = join(import.meta.dir, 'pictures');

/** Replaces the stored pictures by those of the page as it is; look at what changed before you commit it. */
const isUpdate = process.env['UPDATE_PICTURES'] !== undefined;

/** How far a channel of a pixel may be from the stored one, of 255, and how many pixels may be further away. */
const tolerance = { channel: 48, pixels: 40 };

/** Parts of the page may load so long, in ms. */
const loadMs = 60_000;

/** A picture of the window, without what differs from run to run: times, the port of the service and the caret. */
async function take(page: Page): Promise<Buffer> {
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet(); // unlike a style element, it is allowed by the page's policy
    sheet.replaceSync('* { caret-color: transparent !important } time { visibility: hidden }');
    document.adoptedStyleSheets = [sheet];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (text.nodeValue?.includes(location.host)) text.nodeValue = text.nodeValue.replace(location.host, 'localhost');
    }
  });
  const picture = await page.screenshot({ caret: 'initial' });
  await page.evaluate(() => (document.adoptedStyleSheets = []));
  return picture;
}

/** Waits until all parts of the page have loaded: nothing stands in for a note, and two pictures are equal. */
async function takeOnceStill(page: Page): Promise<Buffer> {
  await page.waitForFunction(() => document.querySelector('.skeleton, .note-skeleton') === null);
  let former = await take(page);
  for (;;) {
    await Bun.sleep(1_000);
    const picture = await take(page);
    if (picture.equals(former)) return picture;
    former = picture;
  }
}

async function pixelsOf(picture: Buffer | string): Promise<Buffer> {
  return await sharp(picture).removeAlpha().raw().toBuffer();
}

function countDifferent(one: Buffer, other: Buffer): number {
  if (one.length !== other.length) return Number.POSITIVE_INFINITY;
  const pixels = new Set<number>();
  for (const [index, value] of one.entries()) {
    if (Math.abs(value - (other[index] ?? 0)) > tolerance.channel) pixels.add(Math.floor(index / 3));
  }
  return pixels.size;
}

/** How the window of a page differs from its stored picture, as a finding; the new picture is then kept in TMPDIR. */
export async function differencesFromPicture(page: Page, name: string): Promise<string[]> {
  const path = join(folder, `${name}.webp`);
  if (isUpdate) {
    await sharp(await takeOnceStill(page))
      .webp({ lossless: true, effort: 6 })
      .toFile(path);
    return [];
  }
  const stored = await pixelsOf(path);
  let taken: Buffer = Buffer.alloc(0);
  let different = 0;
  const isEqual = await isEventuallyTrue(async () => {
    taken = await take(page);
    different = countDifferent(stored, await pixelsOf(taken));
    return different <= tolerance.pixels;
  }, loadMs);
  if (isEqual) return [];
  const beside = join(tmpdir(), `${name}.png`);
  await Bun.write(beside, taken);
  return [`${different} pixels differ from ${path}: see ${beside}`];
}
