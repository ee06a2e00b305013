/** Whatever happens to two tabs and the service in whatever order, each word that was typed is in a draft or stored. */
import { expect, test } from 'bun:test';
import type { Page, Route } from 'playwright-core';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createSeededRandom, type Random, seed } from '../support/random.ts';
import { createDraft } from '../support/sample-notes.ts';
import { readNotesBody } from '../support/service.ts';
import { contentField, goOnByKeys, intercept, leaveSearch, useStage } from './visit.ts';

const stage = useStage();

const stepCount = 50;

/** The steps of a tab, as often as they are chosen. */
const steps = [
  'type',
  'type',
  'type',
  'type',
  'type and reload',
  'save',
  'save',
  'save and stay',
  'save and stay',
  'respond',
  'respond',
  'respond',
  'leave',
  'reload',
  'change service',
  'choose text',
] as const;

/** Those of a tab that compares two versions of the note. */
const conflictSteps = ['end conflict', 'end conflict', 'respond', 'leave', 'reload', 'change service'] as const;

type Step = (typeof steps | typeof conflictSteps)[number];

/** What becomes of the writes of both tabs. */
type Outcome = 'stored' | 'failed' | 'unanswered' | 'response lost';

const outcomes: readonly [Outcome, ...Outcome[]] = ['stored', 'failed', 'unanswered', 'response lost'];

interface Session {
  readonly id: number;
  readonly tabs: readonly [Page, ...Page[]];
  /**
   * The writes that wait for the step `respond`. A response closes a form: at another time, it would do so between the
   * keys of a step, and the rest of a word would go to the page.
   */
  readonly heldWrites: { readonly page: Page; readonly route: Route }[];
  outcome: Outcome;
  /** The words that must not be lost. */
  words: string[];
  typedCount: number;
}

const isShown = (page: Page, selector: string) => page.locator(selector).first().isVisible();
const isConflictShown = (page: Page) => isShown(page, '.conflict-foot');

/** Clicks a button if it is there, in one evaluation: a conflict may end by itself at any time. */
const clickIfShown = (page: Page, name: string): Promise<void> =>
  page.evaluate((name) => {
    const buttons = [...document.querySelectorAll<HTMLElement>('#detail button')];
    buttons.find((button) => (button.getAttribute('aria-label') ?? button.textContent) === name)?.click();
  }, name);

/** Opens a note in two tabs. */
async function openTabs(first: Page): Promise<Session> {
  const id = Number(new URL(first.url()).searchParams.get('note'));
  const second = await first.context().newPage();
  await second.goto(first.url());
  await leaveSearch(second);
  const session: Session = { id, tabs: [first, second], heldWrites: [], outcome: 'stored', words: [], typedCount: 0 };
  for (const page of session.tabs) {
    page.on('dialog', (question) => question.accept()); // a reload asks while a write waits
    await intercept(page, '**/api/notes/*', async (route) => {
      if (route.request().method() === 'GET') await route.fallback();
      else session.heldWrites.push({ page, route });
    });
  }
  return session;
}

/** Responds to all writes that wait, and waits until both tabs have read that. */
async function respondToWrites({ tabs, heldWrites, outcome }: Session): Promise<void> {
  for (const { route } of heldWrites.splice(0)) await respondToWrite(route, outcome);
  for (const page of tabs) {
    const isDone = async () =>
      heldWrites.some((write) => write.page === page) || !(await page.getByText('Saving …').isVisible());
    expect(await isEventuallyTrue(isDone)).toBe(true);
  }
}

/** A write of a page that was reloaded meanwhile reaches the service all the same. */
async function respondToWrite(route: Route, outcome: Outcome): Promise<void> {
  if (outcome === 'failed') {
    return route.fulfill({ status: 500, headers: { 'Notes-Outcome': 'none' }, json: { error: 'Full' } });
  }
  const response = outcome === 'unanswered' ? undefined : await route.fetch();
  if (response && outcome === 'stored') await route.fulfill({ response });
  else await route.abort('connectionreset');
}

/** Opens the form if it is not there, and types a word at the end of the text. Types nothing into a conflict. */
async function typeWord(session: Session, page: Page, word: string): Promise<void> {
  if (!(await isShown(page, '.note-form')) && !(await isConflictShown(page))) {
    await page.locator('.detail-body').focus();
    await goOnByKeys(page);
    await page.keyboard.press('e'); // shows the form or the conflict at once
  }
  if (!(await isShown(page, '.note-form'))) return;
  await contentField(page).focus();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type(` ${word}`);
  session.words.push(word);
  session.typedCount++;
}

async function reload(page: Page): Promise<void> {
  await page.reload();
  await page.locator('.detail-body').waitFor();
  await leaveSearch(page);
}

/**
 * Chooses between the texts of the two tabs, if that is asked. Returns the text that the user has dropped. All of it is
 * one evaluation: the other tab may end the question, or change its text, at any time.
 */
const chooseText = (page: Page, id: number, choice: 'Show that' | 'Keep this'): Promise<string> =>
  page.evaluate(
    ({ choice, key }) => {
      const buttons = [...document.querySelectorAll<HTMLElement>('.note-form .notice button')];
      const button = buttons.find(({ textContent }) => textContent === choice);
      if (!button) return '';
      const editor = document.querySelector('.note-form [name=content]');
      const inForm = editor && 'value' in editor ? String(editor.value) : '';
      const inDraft = localStorage.getItem(key) ?? '';
      button.click();
      return choice === 'Show that' ? inForm : inDraft;
    },
    { choice, key: `notes.draft:/:${id}` },
  );

async function runStep(session: Session, step: Step, page: Page, word: string, random: Random) {
  const { id, words } = session;
  switch (step) {
    case 'type':
      return typeWord(session, page, word);
    case 'type and reload':
      await typeWord(session, page, word);
      return reload(page);
    case 'save':
    case 'save and stay':
      if (!(await isShown(page, '.note-form'))) return;
      await contentField(page).focus();
      return page.keyboard.press(step === 'save' ? 'Control+Enter' : 'Control+S');
    case 'respond':
      return respondToWrites(session);
    case 'leave':
      return clickIfShown(page, 'Leave the form');
    case 'reload':
      return reload(page);
    case 'change service':
      session.outcome = random.pick(outcomes);
      return;
    case 'end conflict': // the note has one text, and its history the other; or the note has both
      return clickIfShown(page, random.pick(['Keep mine', 'Take theirs', 'Keep both']));
    case 'choose text': {
      const dropped = await chooseText(page, id, random.pick(['Show that', 'Keep this']));
      session.words = words.filter((word) => !dropped.includes(word));
    }
  }
}

/** The words that are not in a version of the note, and that at least one tab does not see in a draft. */
async function listLostWords({ id, tabs, words }: Session): Promise<string[]> {
  const drafts: string[] = [];
  for (const page of tabs) drafts.push(await page.evaluate(readDrafts));
  const versions = await readNotesBody(fetch(`${stage.service.url}/api/notes/${id}/history`));
  const notes = await readNotesBody(fetch(`${stage.service.url}/api/notes`));
  const stored = [...versions, ...notes].map(({ content }) => content).join('\n');
  return words.filter((word) => !stored.includes(word) && !drafts.every((texts) => texts.includes(word)));
}

const readDrafts = () =>
  Object.entries(localStorage)
    .filter(([key]) => key.startsWith('notes.draft'))
    .map(([, draft]) => draft)
    .join('\n');

test(`no typed word is lost, whatever happens to the tabs and the service; TEST_SEED=${seed}`, async () => {
  const random = createSeededRandom(seed);
  const [note] = await stage.add(createDraft({ title: 'In two tabs', content: 'begin' }));
  // a write that waits holds back the list, so that its preload is late
  const forgiven = /Failed to load resource|was preloaded using link preload but not used/;
  await using visit = await stage.visitList({ query: `?note=${note?.id}`, forgiven });
  const session = await openTabs(visit.page);
  const done: string[] = [];

  while (done.length < stepCount) {
    const page = random.pick(session.tabs);
    const step = random.pick<Step>((await isConflictShown(page)) ? conflictSteps : steps);
    const word = `word-${100 + done.length}`; // all are of the same length: none contains another one
    done.push(`${step} (${word}) in tab ${session.tabs.indexOf(page) + 1}, ${session.outcome}`);
    await page.bringToFront();
    await runStep(session, step, page, word, random);

    const isKept = await isEventuallyTrue(async () => (await listLostWords(session)).length === 0, 30_000);
    expect({ done, lost: isKept ? [] : await listLostWords(session) }).toEqual({ done, lost: [] });
  }
  expect(session.typedCount).toBeGreaterThan(0);
});
