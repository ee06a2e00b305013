import { expect, test } from 'bun:test';
import { resolve } from 'node:path';
import { RecordedOutput } from '../../../test/support/terminal/recorded-io.ts';
import { openNoteStoreOrEmptyDefault } from './open-note-store.ts';
import { createStoreIdentifier } from './store-location.ts';

const file = { DATABASE_URL: 'sqlite:/srv/notes.db' };

test.each([
  ['the file of the environment', {}, file, '/srv/notes.db'],
  ['a file, by a path', { db: 'my.db' }, file, resolve('my.db')],
  ['the default file', {}, { HOME: '/home/ann' }, '/home/ann/.local/share/notes/notes.db'],
  ['a service', { url: 'http://127.0.0.1:3000' }, file, 'http://127.0.0.1:3000'],
  ['a service below a path', { url: 'https://example.org:443/notes/?x#y' }, {}, 'https://example.org/notes'],
  ['a service, without the password', { url: 'https://ann:secret@example.org' }, {}, 'https://example.org'],
  ['the service of the environment', {}, { ...file, NOTES_URL: 'http://h' }, 'http://h'],
  ['a file instead of that service', { db: '/my.db' }, { NOTES_URL: 'http://h' }, '/my.db'],
  ['PostgreSQL, without the password', { db: 'postgres://ann:secret@h/notes' }, {}, 'postgres://h:5432/notes'],
])('the name of %s', (_, options, env, name) => {
  expect(createStoreIdentifier({ env }, options)).toBe(name);
});

test.each([
  [{ url: 'http://h', db: 'my.db' }, '--url and --db exclude each other'],
  [{ url: 'h:3000' }, '--url must begin with http:// or https://, not "h:3000"'],
  [{ db: 'http://127.0.0.1:3000' }, '--db must be sqlite:<file>, '],
])('%p is refused', (options, message) => {
  expect(() => createStoreIdentifier({ env: {} }, options)).toThrow(message);
});

test('a command does not wait for a database that is not there', async () => {
  const open = openNoteStoreOrEmptyDefault(
    { env: {}, stderr: new RecordedOutput() },
    { db: 'postgres://ann@127.0.0.1:9/notes' },
  );

  expect(await open.catch(String)).toBe(
    'NoteError: Cannot use postgres://127.0.0.1:9/notes: nothing answers there. Check host and port',
  );
});
