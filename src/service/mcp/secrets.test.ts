import { expect, test } from 'bun:test';
import type { Note } from '../../core/note.ts';
import { Secrets } from './secrets.ts';

const noteWith = (id: number, content: string): Note => ({
  id,
  title: 'A note',
  content,
  category: 'notes',
  group: 'first',
  color: 'info',
  archived: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
});

test('found notes are read one at a time, as each may be 8 MB long', async () => {
  let reading = 0;
  let most = 0;
  const read = async (id: number) => {
    most = Math.max(most, ++reading);
    await Bun.sleep(1);
    reading--;
    return noteWith(id, id === 2 ? 'password: hunter2-Xk93-trombone' : 'plain');
  };

  const part = await new Secrets(false).partOf([{ id: 1 }, { id: 2 }, { id: 3 }], read);

  expect(part).toEqual({ notes: [{ id: 1 }, { id: 3 }], withheld: 1 });
  expect(most).toBe(1);
});
