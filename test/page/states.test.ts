/** What the page shows while loading, without notes, after a failure and while the service is unreachable. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createTemporaryFolder, startService } from '../support/service.ts';
import { addNotes, clipboard, contentField, goOnByKeys, intercept, phone, row, stopClock, useStage } from './visit.ts';

const stage = useStage();
const list = '**/api/notes';
/** The requests for the first notes, and for the list. */
const lists = /\/api\/(notes|search\?.*)$/;
const failedLoad = /Failed to load resource/;

/** Holds requests for the list until the returned function is called, then answers them. */
async function holdList(page: Page, answer = (route: Route) => route.continue()): Promise<() => void> {
  const gate = Promise.withResolvers<void>();
  await intercept(page, list, async (route) => {
    await gate.promise;
    await answer(route);
  });
  return () => gate.resolve();
}

/** Answers a request as a service without its database. */
const refuse = (status: number) => (route: Route) =>
  route.fulfill({ status, json: { error: 'The database is unavailable' } });

const askAgain = (page: Page) => page.evaluate(() => dispatchEvent(new Event('focus')));

describe('16. States', () => {
  test('before the first note a moving picture shows how, which is a still with reduced motion, and none on a phone', async () => {
    const page = await stage.show();
    await page.locator('.first-minute img').evaluate(async (image) => {
      if (image instanceof HTMLImageElement) await image.decode();
    });
    await stage.show({ reducedMotion: 'reduce' });
    await page.locator('.first-minute canvas').waitFor();

    expect(await page.locator('.first-minute img').isVisible()).toBe(false);
    await page.setViewportSize(phone);
    await page.locator('.first-minute canvas').waitFor({ state: 'detached' });
  });

  test('without notes, a letter begins a note beside its draft, a pasted text fills one and is a draft, and files are chosen', async () => {
    const page = await stage.show();
    const form = page.locator('.note-form');
    const filled = () => Promise.all([form.locator('[name=title]').inputValue(), contentField(page).inputValue()]);
    await page.locator('.first-minute li button').first().waitFor();

    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.type('note');
    await form.waitFor();
    const beside = await page.locator('.first-minute').count();
    const typed = await filled();
    await page.locator('.form-state', { hasText: /^Draft$/ }).waitFor();
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    await page.keyboard.type('next week');
    await form.locator('.notice', { hasText: 'Not saved: “note”' }).waitFor();
    const typedNext = await filled();
    await form.locator('.form-discard').click();
    await page.locator('#search').focus();
    await page.keyboard.type('7 days');
    const typedInSearch = await filled();
    await form.locator('.form-discard').click();
    await page.evaluate(() => navigator.clipboard.writeText('A list\n- one\n'));
    await page.keyboard.press('Control+V');
    await form.waitFor();
    await page.locator('.form-state', { hasText: /^Draft$/ }).waitFor();
    const pasted = await filled();
    await page.keyboard.press('Escape');
    await page.getByText('Not saved: “A list”').waitFor();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose files' }).click();
    await (await chooser).setFiles({ name: 'box.css', mimeType: 'text/css', buffer: Buffer.from('a {}\n') });
    await form.waitFor();

    expect(beside).toBe(0);
    expect([typed[0], typedNext[0], typedInSearch[0]]).toEqual(['note', 'next week', '7 days']);
    expect(pasted).toEqual(['A list', 'A list\n- one\n']);
    expect(await filled()).toEqual(['box', 'a {}\n']);
  });

  test('without notes, an example is no draft until it is changed', async () => {
    const page = await stage.show();
    const example = page.locator('.first-minute li button', { hasText: 'Centre anything' });
    const countDrafts = () =>
      page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('notes.draft')).length);

    await example.click();
    const shown = await contentField(page).inputValue();
    await page.keyboard.press('Escape');
    await example.waitFor();
    const draftsUntouched = await countDrafts();
    await example.click();
    await page.locator('.note-form [name=title]').fill('Changed');
    await page.locator('.form-state', { hasText: /^Draft$/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Not saved: “Changed”').waitFor();

    expect(shown).toStartWith('.box {');
    expect([draftsUntouched, await countDrafts()]).toEqual([0, 1]);
  });

  test('nothing flickers for 200 ms, then grey rows show where notes are loading', async () => {
    await stage.add(createDraft());
    await using visit = await stage.visit();
    const { page } = visit;
    await stopClock(page);
    const greyRows = page.getByRole('status', { name: 'Loading notes' });
    const middleOf = async (place: string) => {
      const box = await page.locator(place).first().boundingBox();
      return [box?.x, Math.round((box?.y ?? 0) + (box?.height ?? 0) / 2)];
    };
    const gate = Promise.withResolvers<void>();
    await intercept(page, lists, async (route) => {
      await gate.promise;
      await route.continue().catch(() => {}); // the page no longer waits for the first notes
    });

    await page.reload();
    await page.clock.runFor(50); // the page waits this long for the first notes
    await page.locator('.list-pane').waitFor();
    await page.clock.runFor(199);
    const early = await greyRows.count();
    await page.clock.runFor(50); // effects run after a frame
    await greyRows.waitFor();
    const greyTitle = await middleOf('.skeleton');
    gate.resolve();
    await page.locator('.row').first().waitFor();

    expect([early, await greyRows.count()]).toEqual([0, 0]);
    expect(await middleOf('.row-title')).toEqual(greyTitle);
  });

  test('without a list, the page says so after 5 s and offers Retry after 10 s, which requests it again', async () => {
    await stage.add(createDraft());
    await using visit = await stage.visit({ forgiven: failedLoad });
    const { page } = visit;
    let requests = 0;
    let isHeld = true;
    await intercept(page, lists, (route) => {
      requests++;
      return isHeld ? undefined : route.continue();
    });
    await stopClock(page);
    const status = page.getByRole('status', { name: 'Loading notes' });
    const retry = page.getByRole('button', { name: 'Retry' });
    const seen: string[] = [];
    const passAndLook = async (ms: number) => {
      await page.clock.runFor(ms);
      seen.push((await status.innerText()).trim());
    };

    await page.reload();
    await page.clock.runFor(50); // the page waits this long for the first notes
    await page.locator('.list-pane').waitFor();
    await passAndLook(300);
    await passAndLook(5_000);
    await passAndLook(5_000);
    const requestsBefore = requests;
    await retry.click();
    expect(await isEventuallyTrue(() => requests > requestsBefore)).toBe(true);
    await passAndLook(100);
    isHeld = false;
    await page.clock.runFor(10_000);
    await retry.click();
    await page.locator('.row').first().waitFor();

    expect(seen).toEqual(['', 'Still loading', 'Still loading\nRetry', '']);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('the first notes are shown before the list; if that does not come, the page says so', async () => {
    const [note] = await stage.add(createDraft({ title: 'Told first', content: 'and copied' }));
    if (!note) throw new Error('no note');
    await using context = await stage.browser.newContext();
    const page = await context.newPage();
    const release = await holdList(page);
    await page.clock.install();

    await page.goto(stage.service.url);
    await row(page, note).waitFor();
    const known = await page.locator('#count').innerText();
    await page.clock.runFor(11_000);
    await page.getByText('Still loading').waitFor();
    const retries = await page.getByRole('button', { name: 'Retry' }).count();
    release();
    await page.getByText('Still loading').waitFor({ state: 'detached' });

    expect([known, retries]).toEqual(['', 1]);
    expect(await row(page, note).count()).toBe(1);
  });

  test('a refused list leaves its error and Retry, but none of the first notes; counts are blank until known', async () => {
    await stage.add(createDraft());
    const page = await stage.show({ forgiven: failedLoad });
    const release = await holdList(page, refuse(503));

    await page.reload();
    await page.locator('#detail h2').waitFor();
    const waiting = await page.locator('.sidebar').innerText();
    release();
    const alert = await page.getByRole('alert').innerText();
    await page.locator('#detail h2').waitFor({ state: 'detached' });
    const rows = await page.locator('.row').count();
    const refused = await page.locator('.sidebar').innerText();
    await page.unroute(list);
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.locator('.row').first().waitFor();
    await page.locator('.sidebar', { hasText: /^All notes\d/ }).waitFor();

    expect(alert).toContain('The notes could not be loaded\n\nThe database is unavailable');
    expect(rows).toBe(0);
    expect([waiting, refused].join()).not.toMatch(/\d/);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('Enter before the list is loaded copies its first hit afterwards', async () => {
    await stage.add(createDraft({ title: 'Early', content: 'copied early' }));
    const page = await stage.show({ query: '?q=early' });
    const release = await holdList(page);

    await page.reload();
    await page.locator('#search').press('Enter');
    release();
    await page.locator('.message', { hasText: 'Copied' }).waitFor();

    expect(await clipboard(page)).toBe('copied early');
  });

  test('a list that cannot be updated says so', async () => {
    await stage.add(createDraft());
    const page = await stage.show({ hasEvents: false, forgiven: failedLoad });
    await intercept(page, list, refuse(503));

    await askAgain(page);
    await page.getByText('The list may be out of date: The database is unavailable').waitFor();
    const rows = await page.locator('.row').count();
    await page.unroute(list);
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('The list may be out of date').waitFor({ state: 'detached' });

    expect(rows).toBeGreaterThan(0);
  });

  test('while the service is unreachable notes can be read, copied and drafted, and are saved later', async () => {
    using folder = createTemporaryFolder();
    const settings = { DATABASE_URL: `sqlite:${join(folder.path, 'notes.db')}` };
    await using first = await startService(settings);
    const [note, other] = await addNotes(first, [
      createDraft({ title: 'Kept', content: 'old' }),
      createDraft({ title: 'Other' }),
    ]);
    await using visit = await stage.visitList({ url: first.url, forgiven: failedLoad });
    const { page } = visit;
    if (!note || !other) throw new Error('no notes');

    await page.keyboard.press('n'); // loads the scripts of the form
    await contentField(page).editor.waitFor();
    await page.locator('.note-form [name=title]:focus').press('Escape');
    await first.stop('SIGKILL');
    await askAgain(page);
    await page.getByText('The service does not answer').waitFor();
    await row(page, other).getByRole('button').click();
    const copied = await isEventuallyTrue(async () => (await clipboard(page)) === other.content);
    await row(page, note).getByRole('link').click();
    await goOnByKeys(page);
    await page.keyboard.press('e');
    await contentField(page).fill('written offline');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.notice', { hasText: 'Not sent yet' }).waitFor();
    await page.locator('.detail-body', { hasText: 'written offline' }).waitFor();
    const drafts = await page.evaluate(() => JSON.stringify(localStorage));
    await using second = await startService({ ...settings, PORT: String(first.port) });
    await askAgain(page);
    await page.getByText('The service does not answer').waitFor({ state: 'detached' });
    await page.getByText('Saved “Kept”').first().waitFor();

    expect(copied).toBe(true);
    expect(drafts).toContain('written offline');
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('notes.draft');
    const stored = await fetch(`${second.url}/api/notes/${note.id}`);
    expect(await stored.json()).toMatchObject({ content: 'written offline' });
  });

  test('a new note that was not sent is in the list, can be edited, and becomes the stored one in its place', async () => {
    await stage.add(createDraft({ title: 'Below' }));
    const page = await stage.showList({ forgiven: failedLoad });
    const unsent = page.getByRole('list', { name: 'Not saved' }).getByRole('button', { name: 'Not sent yet' });
    const places = () =>
      page
        .locator('.row-title')
        .evaluateAll((titles) => titles.map((title) => `${title.textContent} at ${title.getBoundingClientRect().top}`));
    const save = async (text: string) => {
      await contentField(page).fill(text);
      await page.keyboard.press('Control+Enter');
      await page.locator('.note-form').waitFor({ state: 'detached' });
    };
    await page.keyboard.press('n'); // loads the scripts of the form
    await contentField(page).editor.waitFor();
    await page.locator('.note-form [name=title]:focus').press('Escape');

    await page.context().setOffline(true);
    await page.getByText('The service does not answer').waitFor();
    await page.keyboard.press('n');
    await save('Written on a train\n\nwithout a network');
    await unsent.waitFor();
    const first = await unsent.innerText();
    await unsent.click();
    await save('Written on a train\n\nand edited there');
    await page.locator('#search').fill('below');
    await unsent.waitFor({ state: 'detached' });
    await page.locator('#search').fill('');
    await unsent.waitFor();
    const before = await places();
    await page.context().setOffline(false);
    await page.locator('[role=row]', { hasText: 'Written on a train' }).waitFor();
    await unsent.waitFor({ state: 'detached' });
    await page.getByText('The service does not answer').waitFor({ state: 'detached' });
    const after = await places();

    expect(first.split('\n')).toEqual(['Written on a train', 'without a network', 'Not sent yet']);
    expect(before[0]).toStartWith('Written on a train at ');
    expect(after).toEqual(before);
    expect(await (await fetch(`${stage.service.url}/api/notes`)).text()).toContain('and edited there');
  });

  test('without a network the list stays, and the banner disappears when the network is back', async () => {
    await stage.add(createDraft({ title: 'Still here' }));
    const page = await stage.show({ forgiven: failedLoad });

    const before = await page.locator('.scroller').boundingBox();
    await page.context().setOffline(true);
    await page.getByText('The service does not answer').waitFor();
    const rows = await page.locator('.row').count();
    const during = await page.locator('.scroller').boundingBox();
    await page.context().setOffline(false);
    await page.getByText('The service does not answer').waitFor({ state: 'detached' });

    expect(rows).toBeGreaterThan(0);
    expect(during).toEqual(before);
  });
});
