import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forgetEntries, keepEntry, lastEntries, type Write } from './journal.ts';

const folders: string[] = [];

function newHome() {
  const folder = mkdtempSync(join(tmpdir(), 'notes-journal-'));
  folders.push(folder);
  return { folder, env: { XDG_STATE_HOME: folder } };
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const written = (id: number): Write => ({ id, after: '2026-01-01T00:00:00.000Z' });

test('returns the last entry of each store, the newest first', () => {
  const { env } = newHome();
  keepEntry(env, { command: 'edit', place: 'a', writes: [written(1)] });
  keepEntry(env, { command: 'archive', place: 'b', writes: [written(2)] });
  keepEntry(env, { command: 'add', place: 'a', writes: [written(3)] });

  expect(lastEntries(env).map(({ command, place }) => [place, command])).toEqual([
    ['a', 'add'],
    ['b', 'archive'],
  ]);
});

test('keeps 50 entries, and ignores a damaged one', () => {
  const { folder, env } = newHome();
  for (let id = 1; id <= 52; id++) keepEntry(env, { command: 'add', place: String(id), writes: [written(id)] });
  const path = join(folder, 'notes', 'undo');
  writeFileSync(join(path, '999999999999999-1.json'), '{"place":');

  expect(readdirSync(path)).toHaveLength(51);
  expect(lastEntries(env).at(0)?.place).toBe('52');
  expect(lastEntries(env).at(-1)?.place).toBe('3');
});

test('forgets the entries of one store', () => {
  const { env } = newHome();
  for (const place of ['a', 'b', 'a']) keepEntry(env, { command: 'add', place, writes: [written(1)] });

  forgetEntries(env, 'a');
  forgetEntries({}, 'b');

  expect(lastEntries(env).map(({ place }) => place)).toEqual(['b']);
});

test('keeps nothing where there is no home folder', () => {
  keepEntry({}, { command: 'add', place: 'a', writes: [written(1)] });

  expect(lastEntries({})).toEqual([]);
});
