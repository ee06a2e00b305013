import { describe, expect, test } from 'bun:test';
import { Readable } from 'node:stream';
import { token } from '../../../../test/support/data/secrets.ts';
import { copyWithoutId, createPortableNote } from '../../../../test/support/sample-notes.ts';
import { createTemporaryFolder } from '../../../../test/support/service.ts';
import { createRecordedIo } from '../../../../test/support/terminal/recorded-io.ts';
import type { NoteRecord, ReadRecord } from '../../../formats/record.ts';
import { saveAndReadIgnoredSecretHashes } from './ignored-secrets.ts';
import { ImportPrinter } from './import-printer.ts';
import { SecretGuard } from './secret-guard.ts';

const record = (location: string, content: string, title = 'A title'): NoteRecord => ({
  kind: 'note',
  location,
  note: copyWithoutId(createPortableNote(1, { content, title })),
});

/** A guard, the questions that it has asked, and what it has printed. */
function guardThat(answers?: boolean, ignored = new Set<string>()) {
  const [io, questions] = [createRecordedIo(), [] as string[]];
  const ask = async (question: string) => questions.push(question) > 0 && answers === true;
  const guard = new SecretGuard(new ImportPrinter(io, {}), answers === undefined ? undefined : ask, ignored);
  return { guard, questions, printed: () => io.stderr.text };
}

/** What the guard lets through of these records, in its order. */
const passThroughGuard = (guard: SecretGuard, ...records: readonly ReadRecord[]): Promise<ReadRecord[]> =>
  Array.fromAsync(guard.streamRecordsAndConfirmSecrets(Readable.from(records)));

test('a record without a secret passes, also one that is no note', async () => {
  const { guard, questions, printed } = guardThat(true);
  const [note, bad] = [record('a.md', 'text'), { kind: 'bad', location: 'b.md', reason: token } as const];

  expect(await passThroughGuard(guard, note, bad)).toEqual([note, bad]);
  expect([questions, printed(), guard.isRecordWithheld(note)]).toEqual([[], '', false]);
});

test('without a user to ask, a note with a secret is replaced by a report that does not contain it', async () => {
  const { guard, printed } = guardThat();
  const note = record('a.md', `key: ${token}`);

  const checked = await passThroughGuard(guard, note);

  expect(checked).toEqual([
    { kind: 'withheld', location: 'a.md, “A title”', reason: expect.stringContaining('seems to hold') },
  ]);
  expect(guard.isRecordWithheld(note)).toBe(true);
  expect(printed()).toContain('a.md, “A title”');
  expect(printed()).not.toContain(token);
});

describe('a suspicion that was dismissed by its hash', () => {
  const findHashOrEmpty = (text: string) => /--ignore ([\da-f]{12})/.exec(text)?.[1] ?? '';

  test('stays so while other parts of the note change, until the secret does', async () => {
    const { guard, printed } = guardThat();
    await passThroughGuard(guard, record('a.md', `key: ${token}`));
    const { guard: next } = guardThat(undefined, new Set([findHashOrEmpty(printed())]));

    const [same, edited, other] = [`key: ${token}`, `More\n${token}\ntext, ${token}`, `${token}x`].map((content) =>
      record('b.md', content),
    ) as [NoteRecord, NoteRecord, NoteRecord];

    expect(await passThroughGuard(next, same, edited, other)).toEqual([
      same,
      edited,
      expect.objectContaining({ kind: 'withheld' }),
    ]);
  });

  test('is kept for later imports, but not by a dry run', async () => {
    using folder = createTemporaryFolder();
    const env = { XDG_STATE_HOME: folder.path };

    await saveAndReadIgnoredSecretHashes(env, ['0123456789ab'], true);
    expect([...(await saveAndReadIgnoredSecretHashes(env))]).toEqual([]);
    await saveAndReadIgnoredSecretHashes(env, ['0123456789ab']);
    await saveAndReadIgnoredSecretHashes(env, ['ba9876543210', '0123456789ab']);
    expect([...(await saveAndReadIgnoredSecretHashes(env))]).toEqual(['0123456789ab', 'ba9876543210']);
    expect([...(await saveAndReadIgnoredSecretHashes({}, ['0123456789ab']))]).toEqual(['0123456789ab']);
  });
});

test('a title that is the secret is not shown', async () => {
  const { guard, printed } = guardThat();

  expect(await passThroughGuard(guard, record('a.md', 'text', token))).toMatchObject([{ location: 'a.md' }]);
  expect(printed()).not.toContain(token);
});

test.each([true, false])('all such notes wait for one answer: %p', async (isTaken) => {
  const { guard, questions } = guardThat(isTaken);
  const notes = [record('a.md', token), record('b.md', token)];
  const plain = record('c.md', 'text');

  const [first, ...held] = await passThroughGuard(guard, ...notes, plain);

  expect(first).toBe(plain);
  expect(questions).toEqual(['Store 2 notes that may hold secrets?']);
  expect(held.map(({ kind }) => kind)).toEqual(Array(2).fill(isTaken ? 'note' : 'withheld'));
  expect(notes.map((note) => guard.isRecordWithheld(note))).toEqual(Array(2).fill(!isTaken));
});
