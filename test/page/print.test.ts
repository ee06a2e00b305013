/** The printed page: the open note, or the list. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { createCorpus } from '../support/data/corpus.ts';
import { createDraft } from '../support/sample-notes.ts';
import { useStage } from './visit.ts';

const stage = useStage();
beforeAll(async () => {
  await stage.add(
    ...createCorpus(530).map((note) => ({ ...note, category: 'css' as const })),
    createDraft({ title: 'Zweiundvierzig' }),
  );
});

/** The printed text, and the number of sheets. */
async function print(page: Page): Promise<{ text: string; sheets: number }> {
  await page.emulateMedia({ media: 'print' });
  await page.locator('.print-only, #detail:not(.is-preview)').first().waitFor();
  const sheets = (await page.pdf()).toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0;
  const text = await page.locator('body').innerText();
  await page.emulateMedia({ media: null });
  return { text, sheets };
}

describe('18. Print', () => {
  test('of a list, its first 500 notes are printed', async () => {
    const page = await stage.show({ query: '?category=css' });
    await page
      .locator('.scroller')
      .first()
      .evaluate((box) => box.scrollTo(0, 500));

    const printed = await print(page);

    expect(printed.text.slice(0, 100)).toStartWith('Notes · css\n\nThe first 500 of 530 notes\n\n');
    expect(/^(Copy|Archive|Board|New)$/m.test(printed.text)).toBe(false);
    expect(printed.text.match(/^css · /gm)?.length).toBe(500);
    expect(printed.sheets).toBeGreaterThan(20);
    await page.locator('.print-only').waitFor({ state: 'detached' });
    expect(
      await page
        .locator('.scroller')
        .first()
        .evaluate((box) => box.scrollTop),
    ).toBe(500);
  });

  test('an open note is printed alone and completely, black on white in a dark theme too', async () => {
    const [note] = await stage.add(
      createDraft({ title: 'Long one', content: `${'A paragraph.\n\n'.repeat(200)}The end`, category: 'prompts' }),
    );
    const page = await stage.show({ query: `?note=${note?.id}`, colorScheme: 'dark' });
    await page.locator('.markdown p').first().waitFor();

    const printed = await print(page);

    expect(printed.text).toStartWith('Long one\n');
    expect(printed.text.trimEnd()).toEndWith('The end');
    expect(printed.text).not.toMatch(/Copy|Archive|Raw/);
    expect(printed.sheets).toBeWithin(5, 15);
    await page.emulateMedia({ media: 'print' });
    const colours = await page.locator('#detail h2').evaluate((title) => getComputedStyle(title).color);
    const black = await page.evaluate(() => getComputedStyle(document.body).getPropertyValue('--color-base-content'));
    expect([colours, black]).toEqual(['rgb(0, 0, 0)', 'black']);
  });

  test('filters apply to the printed list', async () => {
    const printed = await print(await stage.show({ query: '?q=zweiund' }));

    expect(printed.text).toStartWith('Notes · “zweiund”\n\n1 note\n\nZweiundvierzig');
    expect(printed.sheets).toBe(1);
  });
});
