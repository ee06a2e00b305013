import { describe, expect, test } from 'bun:test';
import { token } from '../../../../test/support/data/secrets.ts';
import { portableNote, temporaryFolder, withoutId } from '../../../../test/support/service.ts';
import { keptIo } from '../../../../test/support/terminal/kept-io.ts';
import type { NoteRecord } from '../../../formats/record.ts';
import { addAndReadIgnoredSecrets } from './ignored-secrets.ts';
import { ImportPrinter } from './import-printer.ts';
import { SecretGuard } from './secret-guard.ts';

const record = (location: string, content: string, title = 'A title'): NoteRecord => ({
  kind: 'note',
  location,
  note: withoutId(portableNote(1, { content, title })),
});

/** A guard, the questions that it has asked, and what it has printed. */
function guardThat(answers?: boolean, ignored = new Set<string>()) {
  const [io, questions] = [keptIo(), [] as string[]];
  const ask = async (question: string) => questions.push(question) > 0 && answers === true;
  const guard = new SecretGuard(new ImportPrinter(io, {}), answers === undefined ? undefined : ask, ignored);
  return { guard, questions, printed: () => io.stderr.text };
}

test('a record without a secret passes, also one that is no note', async () => {
  const { guard, questions, printed } = guardThat(true);
  const [note, bad] = [record('a.md', 'text'), { kind: 'bad', location: 'b.md', reason: token } as const];

  expect([guard.withholdAndPrintIfSecret(note), guard.withholdAndPrintIfSecret(bad)]).toEqual([note, bad]);
  expect(await guard.confirmAndReleaseWithheld()).toEqual([]);
  expect([questions, printed(), guard.isWithheld(note)]).toEqual([[], '', false]);
});

test('without a user to ask, a note with a secret is replaced by a report that does not contain it', () => {
  const { guard, printed } = guardThat();
  const note = record('a.md', `key: ${token}`);

  const checked = guard.withholdAndPrintIfSecret(note);

  expect(checked).toEqual({
    kind: 'withheld',
    location: 'a.md, “A title”',
    reason: expect.stringContaining('seems to hold'),
  });
  expect(guard.isWithheld(note)).toBe(true);
  expect(printed()).toContain('a.md, “A title”');
  expect(printed()).not.toContain(token);
});

describe('a suspicion that was dismissed by its hash', () => {
  const hashIn = (text: string) => /--ignore ([\da-f]{12})/.exec(text)?.[1] ?? '';

  test('stays so while other parts of the note change, until the secret does', () => {
    const { guard, printed } = guardThat();
    guard.withholdAndPrintIfSecret(record('a.md', `key: ${token}`));
    const { guard: next } = guardThat(undefined, new Set([hashIn(printed())]));

    const [same, edited, other] = [`key: ${token}`, `More\n${token}\ntext, ${token}`, `${token}x`].map((content) =>
      record('b.md', content),
    ) as [NoteRecord, NoteRecord, NoteRecord];

    expect([
      next.withholdAndPrintIfSecret(same),
      next.withholdAndPrintIfSecret(edited),
      next.withholdAndPrintIfSecret(other)?.kind,
    ]).toEqual([same, edited, 'withheld']);
  });

  test('is kept for later imports, but not by a dry run', async () => {
    using folder = temporaryFolder();
    const env = { XDG_STATE_HOME: folder.path };

    await addAndReadIgnoredSecrets(env, ['0123456789ab'], true);
    expect([...(await addAndReadIgnoredSecrets(env))]).toEqual([]);
    await addAndReadIgnoredSecrets(env, ['0123456789ab']);
    await addAndReadIgnoredSecrets(env, ['ba9876543210', '0123456789ab']);
    expect([...(await addAndReadIgnoredSecrets(env))]).toEqual(['0123456789ab', 'ba9876543210']);
    expect([...(await addAndReadIgnoredSecrets({}, ['0123456789ab']))]).toEqual(['0123456789ab']);
  });
});

test('a title that is the secret is not shown', () => {
  const { guard, printed } = guardThat();

  expect(guard.withholdAndPrintIfSecret(record('a.md', 'text', token))).toMatchObject({ location: 'a.md' });
  expect(printed()).not.toContain(token);
});

test.each([true, false])('all such notes wait for one answer: %p', async (isTaken) => {
  const { guard, questions } = guardThat(isTaken);
  const notes = [record('a.md', token), record('b.md', token)];

  const checked = notes.map((note) => guard.withholdAndPrintIfSecret(note));
  const held = await guard.confirmAndReleaseWithheld();

  expect(checked).toEqual([undefined, undefined]);
  expect(questions).toEqual(['Store 2 notes that may hold secrets?']);
  expect(held.map(({ kind }) => kind)).toEqual(Array(2).fill(isTaken ? 'note' : 'withheld'));
  expect(notes.map((note) => guard.isWithheld(note))).toEqual(Array(2).fill(!isTaken));
});
