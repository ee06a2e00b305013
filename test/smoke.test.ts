import { expect, test } from 'bun:test';
import { draft, jsonBody, startService } from './service.ts';

test('a note that was created is in the list', async () => {
  await using service = await startService();

  const created = await fetch(`${service.url}/api/notes`, jsonBody(draft()));

  const note = await created.json();
  expect(created.status).toBe(200);
  expect(await (await fetch(`${service.url}/api/notes`)).json()).toEqual([note]);
  expect(await service.stop()).toBe(0);
});
