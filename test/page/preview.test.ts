/** The note under the cursor is previewed beside the list, without changing the URL or the history. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { createDraft } from '../support/sample-notes.ts';
import { desktop, leaveSearch, phone, useStage } from './visit.ts';

const stage = useStage();

const previewed = (page: Page, title: string) =>
  page.getByRole('region', { name: 'Selected note' }).locator('h2', { hasText: title }).waitFor();
const opened = (page: Page) => page.getByRole('region', { name: 'Open note' });

describe('Look: the preview while typing', () => {
  test('the preview follows typing and arrows, without a history entry', async () => {
    await stage.add(
      createDraft({ title: 'Otter two', content: 'river' }),
      createDraft({ title: 'Otter one', content: 'sea' }),
      createDraft({ title: 'Newest', content: 'first of all' }),
    );
    const page = await stage.show();
    const steps = () => page.evaluate(() => history.length);
    const before = await steps();

    await previewed(page, 'Newest');
    await page.keyboard.type('otter');
    await previewed(page, 'Otter one');
    await page.locator('.detail-body').getByText('sea').waitFor();
    await page.keyboard.press('ArrowDown');
    await previewed(page, 'Otter two');
    await page.waitForURL(/\?q=otter$/);

    expect(await steps()).toBe(before);
    expect(await page.locator('#search:focus').count()).toBe(1);
    expect(await opened(page).count()).toBe(0);
    expect(await page.title()).toBe('“otter” · Notes');
  });

  test('an arrow at the end of the words opens the note, and moves within them; another search closes it', async () => {
    await stage.add(createDraft({ title: 'Badger' }), createDraft({ title: 'Heron' }));
    const page = await stage.show();

    await page.keyboard.type('badger');
    await previewed(page, 'Badger');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowRight');
    const within = await opened(page).count();
    await page.keyboard.press('ArrowRight');
    await page.locator('.detail-body:focus').waitFor();
    await page.waitForURL(/note=\d+$/);
    await page.keyboard.press('/');
    await page.keyboard.type('heron');
    await previewed(page, 'Heron');
    await page.waitForURL(/\?q=heron$/);

    expect(within).toBe(0);
  });

  test('commands in the preview act on its note, and Esc returns to its row', async () => {
    await stage.add(
      createDraft({ title: 'Under', category: 'host-town' }),
      createDraft({ title: 'Over', category: 'host-town' }),
    );
    const page = await stage.show({ query: '?category=host-town' });
    await leaveSearch(page);
    await page.keyboard.press('j');
    await previewed(page, 'Under');

    await page.getByRole('button', { name: 'Edit', exact: true }).focus();
    await page.keyboard.press('Escape');
    await page.locator('.at-cursor:focus', { hasText: 'Under' }).waitFor();
    await page.locator('.detail-body').focus();
    await page.keyboard.press('a');
    await page.getByRole('log').getByText('Archived “Under”').waitFor();
    await previewed(page, 'Over');
  });

  test('there is none on a phone, beside a board except on a wide screen, or on paper', async () => {
    await stage.add(createDraft({ title: 'Somewhere' }));
    const page = await stage.show({ viewport: phone });
    const preview = page.getByRole('region', { name: 'Selected note' });

    const onPhone = await preview.count();
    await page.setViewportSize(desktop);
    await preview.waitFor();
    await page.emulateMedia({ media: 'print' });
    const onPaper = await preview.isVisible();
    await page.emulateMedia({ media: 'screen' });
    await page.getByRole('button', { name: 'Board', exact: true }).click();
    await preview.waitFor({ state: 'detached' });
    await page.setViewportSize({ width: 1920, height: 1000 });
    await preview.waitFor();

    expect([onPhone, onPaper]).toEqual([0, false]);
  });
});
