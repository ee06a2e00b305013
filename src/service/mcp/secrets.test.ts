import { expect, test } from 'bun:test';
import { portableNote } from '../../../test/support/service.ts';
import { Secrets } from './answer.ts';

test('found notes are read one at a time, as each may be 8 MB long', async () => {
  let reading = 0;
  let most = 0;
  const read = async (id: number) => {
    most = Math.max(most, ++reading);
    await Bun.sleep(1);
    reading--;
    return portableNote(id, { content: id === 2 ? 'password: hunter2-Xk93-trombone' : 'plain' });
  };

  const part = await new Secrets(false).partOf([{ id: 1 }, { id: 2 }, { id: 3 }], read);

  expect(part).toEqual({ notes: [{ id: 1 }, { id: 3 }], withheld: 1 });
  expect(most).toBe(1);
});
