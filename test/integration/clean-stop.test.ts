/** After SIGTERM, the database file alone holds all notes, whatever was asked of the service before. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { beginListDownload } from '../support/http/long-list.ts';
import { createDraft } from '../support/sample-notes.ts';
import {
  createJsonRequest,
  createTemporaryFolder,
  readNoteBody,
  readNotesBody,
  startService,
} from '../support/service.ts';

/** As much of a description of the interface as is needed to send each of its requests. */
const Operation = z.object({
  requestBody: z.optional(z.object({ content: z.record(z.string(), z.object({ example: z.unknown() })) })),
});
const Description = z.object({
  paths: z.record(
    z.string(),
    z.partialRecord(z.enum(['get', 'head', 'post', 'put', 'patch', 'parameters']), z.unknown()),
  ),
});

/** The example of `PUT /api/pins` pins notes 7 and 1. */
const largestIdOfExamples = 7;

interface Sent {
  readonly path: string;
  readonly init: RequestInit;
}

/** Each documented request, with note 1 and the body of its example. */
async function documentedRequests(url: string): Promise<readonly Sent[]> {
  const { paths } = Description.parse(await (await fetch(`${url}/openapi.json`)).json());
  return Object.entries(paths).flatMap(([path, { parameters: _, ...operations }]) =>
    Object.entries(operations).map(([method, operation]) => {
      const [body] = Object.values(Operation.parse(operation).requestBody?.content ?? {});
      const init = body === undefined ? { method } : createJsonRequest(body.example, method);
      return { path: path.replace('{id}', '1'), init: { ...init, method: method.toUpperCase() } };
    }),
  );
}

test('after each documented request, with an open stream and a list half read, no log is left', async () => {
  using folder = createTemporaryFolder();
  const path = join(folder.path, 'notes.db');
  await using service = await startService({ DATABASE_URL: `sqlite:${path}` });
  for (let id = 1; id <= largestIdOfExamples; id++) {
    await readNoteBody(fetch(`${service.url}/api/notes`, createJsonRequest(createDraft())));
  }

  const failed: string[] = [];
  for (const { path, init } of await documentedRequests(service.url)) {
    const response = await fetch(service.url + path, init);
    if (!response.ok) failed.push(`${init.method} ${path}: ${response.status}`);
    if (path !== '/api/events') await response.bytes();
  }
  await (await fetch(`${service.url}/api/search?q=words`)).bytes();
  for (const content of ['x', 'y', 'z']) {
    await readNoteBody(
      fetch(`${service.url}/api/notes`, createJsonRequest(createDraft({ content: content.repeat(4e6) }))),
    );
  }
  const { length: count } = await readNotesBody(fetch(`${service.url}/api/notes`));
  using _list = await beginListDownload(service.url);
  expect(await service.stop('SIGTERM')).toBe(0);

  expect(failed).toEqual([]);
  expect(readdirSync(folder.path).sort()).toEqual(['notes.db', 'notes.db.lock']);
  copyFileSync(path, join(folder.path, 'copy.db'));
  using copy = new Database(join(folder.path, 'copy.db'), { readonly: true });
  expect(copy.prepare('SELECT count(*) AS count FROM notes').all()).toEqual([{ count }]);
}, 60_000);
