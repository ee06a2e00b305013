import { expect, test } from 'bun:test';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/service.ts';
import { readRoute } from './copy-notes.ts';

const postgres = 'postgres://ann:secret@db.example/notes';

test('addresses come from flags, else from the environment, as a path or an address', () => {
  const route = readRoute({ MIGRATE_FROM: '/ignored.db', MIGRATE_TO: postgres }, { from: '/a/notes.db' });

  expect(route.from).toEqual({ engine: 'sqlite', path: '/a/notes.db' });
  expect(route.to).toMatchObject({ engine: 'postgres', hostname: 'db.example', database: 'notes', username: 'ann' });
});

test.each([
  ['no source', {}, { to: '/b.db' }, 'Name a store by --from or MIGRATE_FROM'],
  ['no target', { MIGRATE_FROM: 'sqlite:/a.db', MIGRATE_TO: '' }, {}, 'Name a store by --to or MIGRATE_TO'],
  ['a store in memory', {}, { from: 'sqlite::memory:', to: '/b.db' }, '--from must not be sqlite::memory:'],
  ['one database', {}, { from: postgres, to: 'postgres://bob@db.example:5432/notes' }, '--from and --to name the same'],
])('%s is refused', (_, env, flags, sentence) => {
  expect(() => readRoute(env, flags)).toThrow(sentence);
});

test('a file is the same under its other names', () => {
  using folder = temporaryFolder();
  const [from, to] = [join(folder.path, 'a.db'), join(folder.path, 'b.db')];
  writeFileSync(from, '');
  symlinkSync(from, to);

  for (const other of [to, `sqlite:${from}`])
    expect(() => readRoute({}, { from, to: other })).toThrow('--from and --to name the same store');
});

test('a malformed address is not repeated, since any part of it may be the password', () => {
  const refused = () => readRoute({ MIGRATE_TO: 'postgres://ann:sec ret@/' }, { from: '/a.db' });

  expect(refused).toThrow(/^MIGRATE_TO must be /);
  expect(refused).not.toThrow(/sec|ret@/);
});
