import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { faintTexts } from './contrast.ts';
import { differencesFromPicture } from './picture.ts';

/** A window of 1280 × 1024 px at a zoom. */
const zoomed = (zoom: number) => ({ width: 1280 / zoom, height: 1024 / zoom });

interface Look {
  readonly name: string;
  readonly colorScheme: 'light' | 'dark';
  readonly forcedColors?: 'active';
  readonly size?: ReturnType<typeof zoomed>;
  readonly hasPicture?: boolean;
}

const looks: readonly Look[] = [
  { name: 'light', colorScheme: 'light', hasPicture: true },
  { name: 'dark', colorScheme: 'dark', hasPicture: true },
  { name: 'forced colors', colorScheme: 'dark', forcedColors: 'active' },
  { name: '200 %', colorScheme: 'light', size: zoomed(2) },
  { name: '400 %', colorScheme: 'light', size: zoomed(4) },
];

/**
 * What axe finds, texts whose contrast is too low, and differences from the stored picture of this state of the page,
 * which follows the theme of the system.
 */
export async function findingsOn(page: Page, state: string): Promise<string[]> {
  await page.evaluate(axe.source);
  const findings: string[] = [];
  const usual = page.viewportSize() ?? zoomed(1);
  const show = async ({ colorScheme, forcedColors, size = usual }: Look) => {
    await page.emulateMedia({ colorScheme, forcedColors: forcedColors ?? 'none' });
    await page.setViewportSize(size);
    await untilStill(page);
  };
  for (const look of looks.filter(({ hasPicture }) => hasPicture)) {
    await show(look); // before axe, which takes seconds: messages go away
    findings.push(...(await differencesFromPicture(page, `${state}, ${look.name}`)));
  }
  for (const look of looks) {
    await show(look);
    const { name, forcedColors } = look;
    const isForced = forcedColors === 'active'; // axe then reads the color of texts that is not used
    const { violations } = await page.evaluate(
      (enabled) => axe.run(document, { resultTypes: ['violations'], rules: { 'color-contrast': { enabled } } }),
      !isForced,
    );
    findings.push(...violations.map(({ id, nodes }) => `${name}: ${id}: ${nodes.map(({ html }) => html).join(' ')}`));
    findings.push(...(await faintTexts(page)).map((text) => `${name}: ${text}`));
  }
  await page.emulateMedia({ forcedColors: 'none' });
  await page.setViewportSize(usual);
  return findings;
}

/** Waits for a paint, and for the transitions that it has begun: colors in between are not those of the page. */
const untilStill = (page: Page) =>
  page.evaluate(async () => {
    await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(transitions.map(({ finished }) => finished));
  });
