import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { draft, temporaryFolder } from '../../../../test/support/service.ts';
import { Executor, type WriterRequest } from './executor.ts';
import type { Message } from './messages.ts';

const create = (title: string): WriterRequest => ({
  name: 'commit',
  args: [{ writes: [{ kind: 'create', draft: draft({ title }) }], at: 1_000 }],
});
const get = (id: number): WriterRequest => ({ name: 'get', args: [id] });

function openedIn(folder: string) {
  const path = join(folder, 'notes.db');
  const replies: Message[] = [];
  const executor = new Executor((reply) => replies.push(reply));
  executor.execute([{ name: 'open', args: [{ path, isChecked: false }, 0] }]);
  replies.length = 0;
  return {
    path,
    executor,
    replies,
    [Symbol.dispose]: () => executor.execute([{ name: 'close', args: [] }]),
  };
}

test('replies in order, and a read sees only the commits before it', () => {
  using folder = temporaryFolder();
  using opened = openedIn(folder.path);

  opened.executor.execute([create('One'), create('Two'), get(2), get(3), create('Three'), get(3)]);

  const results = opened.replies.map((reply) => ('result' in reply ? reply.result : reply));
  expect(results).toEqual([
    [{ id: 1 }],
    [{ id: 2 }],
    expect.objectContaining({ id: 2, title: 'Two' }),
    undefined,
    [{ id: 3 }],
    expect.objectContaining({ id: 3, title: 'Three' }),
  ]);
});

test('consecutive commits share a transaction: if it fails, each is answered so, and none is stored', () => {
  using folder = temporaryFolder();
  using opened = openedIn(folder.path);
  using other = new Database(opened.path);
  other.run(`CREATE TRIGGER refusing BEFORE INSERT ON notes WHEN NEW.title = 'Two'
    BEGIN SELECT RAISE(ROLLBACK, 'refused'); END`);

  opened.executor.execute([create('One'), create('Two'), create('Three'), get(1)]);

  const [one, two, three, read] = opened.replies;
  for (const reply of [one, two, three]) {
    expect(reply).toHaveProperty('failure.outcome', 'none');
    expect(reply).toHaveProperty('isForeign', true);
  }
  expect(read).toHaveProperty('result', undefined);
  expect(opened.replies).toHaveLength(4);
});
