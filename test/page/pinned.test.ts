/** The service has the pins, all pages show them, and a place shows only pinned notes. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createJsonRequest } from '../support/service.ts';
import { intercept, leaveSearch, reloadAndWait, row, titles, untilListIsCached, useStage } from './visit.ts';

const stage = useStage();
const place = (page: Page) => page.getByRole('navigation').getByRole('button', { name: /^Pinned/ });
const countOf = (page: Page, count: number) =>
  place(page).getByText(String(count), { exact: true }).waitFor({ state: 'attached' });
const storedPins = async (): Promise<number[]> => (await (await fetch(`${stage.service.url}/api/pins`)).json()).ids;
const putPins = (ids: readonly number[]) => fetch(`${stage.service.url}/api/pins`, createJsonRequest({ ids }, 'PUT'));
const mark = '.row-pin svg';

const headings = (page: Page) => page.locator('.list-head h2, .list-heading').allInnerTexts();

/** Stores notes with these titles, the last of which is the newest, and pins some of them, first pin first. */
async function addAndPin(all: readonly string[], pinned: readonly string[]): Promise<void> {
  const notes = await stage.add(...all.map((title) => createDraft({ title, category: 'css', group: 'second' })));
  await putPins(pinned.flatMap((title) => notes.find((note) => note.title === title)?.id ?? []));
}

describe('Pinned notes come first', () => {
  test('under a heading, in the order of the pins, whatever the order of the others', async () => {
    const page = await stage.showList({ query: '?group=second' });
    await addAndPin(['Ash', 'Birch', 'Cedar', 'Elm', 'Fir'], ['Cedar', 'Ash']);
    await page.locator('.list-heading').waitFor();
    const byChange = [await headings(page), (await titles(page)).slice(0, 5)];
    await page.goto(`${stage.service.url}/?group=second&sort=title`);
    await page.locator('.list-heading', { hasText: 'Title' }).waitFor();
    const byTitle = (await titles(page)).slice(0, 5);

    expect(byChange).toEqual([
      ['Pinned', 'Last changed'],
      ['Cedar', 'Ash', 'Fir', 'Elm', 'Birch'],
    ]);
    expect(byTitle).toEqual(['Cedar', 'Ash', 'Birch', 'Elm', 'Fir']);
  });

  test('those that pass the filters; a search ranks them as the others, and they have their mark', async () => {
    const page = await stage.showList({ query: '?category=css' });
    await addAndPin(['Larch tree', 'Larch', 'Maple', 'Larch larch'], ['Maple', 'Larch tree']);
    await page.locator('.list-heading').waitFor();
    await page.locator('#search').fill('larch');
    await page.locator('.list-head h2', { hasText: 'Best match' }).waitFor();
    const found = [await headings(page), await titles(page)];
    const marks = await page.locator(mark).count();
    await page.goto(`${stage.service.url}/?q=larch&sort=changed`);
    await page.locator('.list-head h2', { hasText: 'Pinned' }).waitFor();

    expect(found).toEqual([['Best match'], ['Larch larch', 'Larch', 'Larch tree']]);
    expect(marks).toBe(1);
    expect(await headings(page)).toEqual(['Pinned', 'Last changed']);
    expect(await titles(page)).toEqual(['Larch tree', 'Larch larch', 'Larch']);
  });

  test('below what is not saved, which stands above their heading', async () => {
    const page = await stage.showList();
    await addAndPin(['Alder'], ['Alder']);
    await page.locator('.list-head h2', { hasText: 'Pinned' }).waitFor();
    await page.keyboard.press('n');
    await page.locator('.note-form [name=title]').fill('Not pinned');
    await page.keyboard.press('Escape');
    await page.locator('.draft-row', { hasText: 'Not pinned' }).waitFor();
    const parts = page.locator('.draft-row, .list-head h2, .row:first-child .row-title');

    const texts = await parts.evaluateAll((all) =>
      all
        .toSorted((one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top)
        .map((part) => (part.querySelector('.row-title') ?? part).textContent),
    );

    expect(texts).toEqual(['Not pinned', 'Pinned', 'Alder']);
  });

  test('before those copied often, and a note is in one section only', async () => {
    const page = await stage.showList();
    await addAndPin(['Oak', 'Pine', 'Rowan'], ['Oak']);
    await page.locator('.list-heading').waitFor();
    for (const title of ['Oak', 'Pine']) {
      await page.locator('.row', { hasText: title }).getByRole('link').focus();
      await page.keyboard.press('Enter');
      await page.getByText(`Copied “${title}”`).waitFor();
    }
    await page.reload();
    await page.locator('.list-heading').nth(1).waitFor();
    const all = await titles(page);

    expect(await headings(page)).toEqual(['Pinned', 'Recently copied', 'Last changed']);
    expect(all.slice(0, 3)).toEqual(['Oak', 'Pine', 'Rowan']);
    expect(all.filter((title) => /^(Oak|Pine)$/.test(title))).toEqual(['Oak', 'Pine']);
  });

  test('on the board in their column, where a card shows its pin', async () => {
    const page = await stage.showList({ query: '?view=board' });
    await addAndPin(['Walnut', 'Willow'], ['Walnut']);
    const column = page.getByRole('region', { name: 'second' });
    await column.locator(mark).waitFor();

    expect((await column.locator('[data-title]').allInnerTexts()).slice(0, 2)).toEqual(['Walnut', 'Willow']);
    expect(await column.locator('.row').first().locator(mark).isVisible()).toBe(true);
  });

  test('p moves the row there and back; the cursor and the focus stay on the note, and the list follows', async () => {
    const notes = await stage.add(
      ...Array.from({ length: 60 }, (_, n) => createDraft({ title: `Seedling ${n}`, color: 'warning' })),
    );
    const [note] = notes;
    if (!note) throw new Error('no note');
    const page = await stage.showList({ query: '?color=warning' });
    await page.keyboard.press('End');
    await page.locator(`[data-row="${note.id}"]:focus`).waitFor();

    await page.keyboard.press('p');
    await page.locator(`[aria-posinset="1"] [data-row="${note.id}"]:focus`).waitFor();
    const above = await page.locator('.scroller').evaluate((box) => box.scrollTop);
    await page.keyboard.press('p');
    await page.locator(`[aria-posinset="60"] [data-row="${note.id}"]:focus`).waitFor();

    expect(above).toBe(0);
    expect(await row(page, note).locator(mark).count()).toBe(0);
    expect(await row(page, note).evaluate((row) => row.getBoundingClientRect().bottom)).toBeLessThan(900);
  });

  test('Home, End, arrows and Shift go over the sections as they are drawn', async () => {
    const all = Array.from({ length: 50 }, (_, n) => `Sapling ${n}`);
    const notes = await stage.add(...all.map((title) => createDraft({ title, color: 'error' })));
    const page = await stage.showList({ query: '?color=error' });
    await putPins(notes.slice(0, 3).map(({ id }) => id));
    await page.locator('.list-heading').waitFor();
    const focused = () => page.locator('[data-row]:focus [data-title]').innerText();

    await page.keyboard.press('End');
    const seen = [await focused()];
    await page.keyboard.press('Home');
    seen.push(await focused());
    for (const _ of [1, 2]) await page.keyboard.press('j');
    seen.push(await focused());
    await page.keyboard.press('Shift+ArrowDown');
    seen.push(await focused());
    const selected = await page.locator('.is-selected [data-title]').allInnerTexts();
    const gaps = await page.locator('.row').evaluateAll((rows) => {
      const boxes = rows.map((row) => row.getBoundingClientRect()).toSorted((one, other) => one.top - other.top);
      return boxes.slice(1).map(({ top }, index) => Math.round(top - (boxes[index]?.bottom ?? 0)));
    });

    expect(seen).toEqual(['Sapling 3', 'Sapling 0', 'Sapling 2', 'Sapling 49']);
    expect(selected).toEqual(['Sapling 2', 'Sapling 49']);
    expect(gaps.slice(0, 4)).toEqual([0, 0, expect.any(Number), 0]);
    expect(gaps[2]).toBeGreaterThan(10);
  });
});

describe('10. Pins', () => {
  test('p pins a note, as its row shows; the place Pinned has a count, and the search stays in it', async () => {
    const [alpha, beta] = await stage.add(
      createDraft({ title: 'Alpha' }),
      createDraft({ title: 'Beta', category: 'css' }),
    );
    if (!alpha || !beta) throw new Error('no notes');
    const page = await stage.showList();
    await countOf(page, 0);

    await page.keyboard.press('p');
    await row(page, beta).locator(mark).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('p');
    await row(page, alpha).locator(mark).waitFor();
    await countOf(page, 2);
    await page.locator('#search').fill('alpha');
    await countOf(page, 1);
    await place(page).click();
    await page.getByText('1 note', { exact: true }).waitFor();
    await page.locator('#search').fill('');
    await page.getByText('2 notes', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^css/ }).filter({ hasText: /s1$/ }).waitFor();
    await page.waitForFunction(() => location.search === '?pinned=true');
    const heard = await row(page, alpha).getByRole('link').innerText();

    expect(heard).toContain(', pinned');
    expect((await titles(page)).toSorted()).toEqual(['Alpha', 'Beta']);
  });

  test('pins survive a reload, as does the place; Backspace removes its chip', async () => {
    const [note] = await stage.add(createDraft({ title: 'Kept' }), createDraft({ title: 'Other' }));
    if (!note) throw new Error('no note');
    const page = await stage.showList();
    await row(page, note).getByRole('link').focus();
    await page.keyboard.press('p');
    await row(page, note).locator(mark).waitFor();
    await place(page).click();

    await reloadAndWait(page);
    await page.getByText('1 note', { exact: true }).waitFor();
    const shown = await titles(page);
    await page.locator('#search').press('Backspace');
    await page.getByText('Other').first().waitFor();

    expect(shown).toEqual(['Kept']);
    expect(new URL(page.url()).search).toBe('');
  });

  test('p on a selection pins all of it, or unpins it if all is pinned; z reverts either', async () => {
    await stage.add(createDraft({ title: 'One' }), createDraft({ title: 'Two' }), createDraft({ title: 'Three' }));
    const page = await stage.showList();
    const pins = (count: number) =>
      page.waitForFunction(([mark, count]) => document.querySelectorAll(mark).length === count, [mark, count] as const);
    await page.keyboard.press('p');
    await pins(1);

    for (const key of ['x', 'Shift+ArrowDown', 'Shift+ArrowDown', 'p']) await page.keyboard.press(key);
    await pins(3);
    await page.keyboard.press('z');
    await pins(1);
    await page.getByRole('log').getByText('Undone: pin of 2 notes').waitFor();
    await page.keyboard.press('p');
    await pins(3);
    await page.keyboard.press('p');
    await pins(0);
    await page.keyboard.press('z');
    await pins(3);
    await page.getByRole('log').getByText('Undone: unpinning of 3 notes').waitFor();
  });

  test('another tab follows the pins', async () => {
    await using visit = await stage.visitList();
    const { page, context } = visit;
    const other = await context.newPage();
    await other.goto(stage.service.url);
    await other.locator('.row').first().waitFor();

    await page.bringToFront();
    await leaveSearch(page);
    await page.keyboard.press('p');

    await other.locator(mark).waitFor();
  });

  test('another device follows the pins by an event, and none is lost when both pin at once', async () => {
    const [alpha, beta] = await stage.add(createDraft({ title: 'Alpha' }), createDraft({ title: 'Beta' }));
    if (!alpha || !beta) throw new Error('no notes');
    const forgiven = /status of 412/; // the one that is overtaken tries again
    await using desk = await stage.visitList({ forgiven });
    await using phone = await stage.visitList({ forgiven });

    await row(desk.page, alpha).getByRole('link').focus();
    await row(phone.page, beta).getByRole('link').focus();
    await Promise.all([desk.page.keyboard.press('p'), phone.page.keyboard.press('p')]);

    for (const { page } of [desk, phone])
      for (const note of [alpha, beta]) await row(page, note).locator(mark).waitFor();
    expect((await storedPins()).toSorted()).toEqual([alpha.id, beta.id].toSorted());
  });

  test('a page whose pins have been overtaken reads them again and adds its own', async () => {
    const [alpha, beta] = await stage.add(createDraft({ title: 'Alpha' }), createDraft({ title: 'Beta' }));
    if (!alpha || !beta) throw new Error('no notes');
    const page = await stage.showList({ forgiven: /status of 412/ });
    const statuses: number[] = [];
    page.on('response', (response) => {
      if (response.request().method() === 'PUT') statuses.push(response.status());
    });
    let isOvertaken = false;
    await intercept(page, '**/api/pins', async (route) => {
      if (route.request().method() === 'PUT' && !isOvertaken) {
        isOvertaken = true;
        await putPins([alpha.id]);
      }
      await route.continue();
    });

    await row(page, beta).getByRole('link').focus();
    await page.keyboard.press('p');
    await row(page, alpha).locator(mark).waitFor();
    await isEventuallyTrue(() => statuses.length === 2); // both are shown before both are stored

    expect(statuses).toEqual([412, 200]);
    expect(await storedPins()).toEqual([beta.id, alpha.id]);
  });

  test('while the service is away a pin waits, across a reload too, and is stored when it is back', async () => {
    const [note] = await stage.add(createDraft({ title: 'Kept' }));
    if (!note) throw new Error('no note');
    const page = await stage.showList({ forgiven: /ERR_FAILED/ });
    await row(page, note).getByRole('link').focus();
    await page.route('**/api/pins', (route) => route.abort());

    await page.keyboard.press('p');
    await row(page, note).locator(mark).waitFor();
    await page.reload();
    await row(page, note).locator(mark).waitFor();
    const storedMeanwhile = await storedPins();
    await page.unroute('**/api/pins');
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await isEventuallyTrue(async () => (await storedPins()).length === 1);

    expect(storedMeanwhile).toEqual([]);
    expect(await storedPins()).toEqual([note.id]);
    await row(page, note).locator(mark).waitFor();
  });

  test('pins that this browser had before are offered once, the newest first', async () => {
    const [one, two, three] = await stage.add(...['One', 'Two', 'Three'].map((title) => createDraft({ title })));
    if (!one || !two || !three) throw new Error('no notes');
    const page = await stage.showList({ forgiven: /status of 404/ }); // of the note that no longer exists
    await putPins([two.id]);
    const own = JSON.stringify([one.id, two.id, three.id, 999_999]);
    await page.evaluate((own) => localStorage.setItem('notes.pinned:/', own), own);
    await page.reload();

    await page.getByText('2 notes are pinned in this browser only').waitFor();
    await page.getByRole('button', { name: 'Pin everywhere' }).click();
    await row(page, three).locator(mark).waitFor();
    await isEventuallyTrue(async () => (await storedPins()).length === 3);
    const stored = await storedPins();
    await page.waitForFunction(() => localStorage.getItem('notes.unsent-pins:/') === null); // it has the answer
    await putPins([]);
    await page.reload();
    await row(page, one).waitFor();
    await page.waitForFunction(() => document.querySelectorAll('.row-pin svg').length === 0);

    expect(stored).toEqual([three.id, one.id, two.id]);
    expect(await page.evaluate(() => localStorage.getItem('notes.pinned:/'))).toBeNull();
  });

  test('pins that this browser had before are offered although its stored list lacks their note', async () => {
    await stage.add(createDraft({ title: 'Known' }));
    const page = await stage.showList();
    await untilListIsCached(page);
    await page.goto(`${stage.service.url}/healthz`);
    const [added] = await stage.add(createDraft({ title: 'Added elsewhere' }));
    if (!added) throw new Error('no note');
    await page.evaluate((own) => localStorage.setItem('notes.pinned:/', own), JSON.stringify([added.id]));

    await page.goto(stage.service.url);

    await page.getByText('1 note is pinned in this browser only').waitFor();
  });

  test('no more than a hundred notes can be pinned, and the page says so', async () => {
    const notes = await stage.add(...Array.from({ length: 101 }, (_, n) => createDraft({ title: `Note ${n}` })));
    const [first, ...others] = notes.map(({ id }) => id);
    await putPins(others);
    const page = await stage.showList({ query: `?note=${first}` });
    await page.locator(mark).first().waitFor();

    await page.keyboard.press('p');
    await page.getByText('At most 100 notes can be pinned').waitFor();

    expect(await storedPins()).toEqual(others);
  });
});
