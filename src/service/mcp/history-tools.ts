import * as z from 'zod';
import { draftFields, Note } from '../../core/note.ts';
import { part } from '../../core/tools/text.ts';
import { changedFields, draftOf } from '../../core/versions.ts';
import { answer, type Facts, listedVersion, type McpStore, type Secrets } from './mcp-responses.ts';
import { headOf, reading, replacedFields, type ToolDeps, text, toStandardSchema, writing } from './note-tools.ts';

const max = { versions: 50, title: 200 };
const { id } = Note.shape;

const Version = z.object({
  version: text.describe('its updatedAt, to pass to get or revert'),
  title: text,
  length: z.int().describe('length of its content'),
  changed: z.array(z.enum(draftFields)).describe('what the next write changed'),
});

const history = {
  title: 'List earlier versions of a note',
  description: 'Lists the versions of a note before each change of its fields, newest first, without their content.',
  inputSchema: toStandardSchema(z.strictObject({ id, limit: z.int().min(1).max(max.versions).default(10) })),
  outputSchema: toStandardSchema(
    z.object({
      versions: z.array(Version),
      truncated: z.boolean().describe('whether there are more versions than shown'),
      withheld: z.exactOptional(z.int()).describe('how many are left out because they seem to contain secrets'),
    }),
  ),
  annotations: reading,
};

const revert = {
  title: 'Revert a note to an earlier version',
  description:
    'Reverts title, content, category, group and color of a note to an earlier version, as listed by history; ' +
    'the current version stays in the history. ' +
    'Pass updatedAt as returned by get: if the note has changed since, nothing is written.',
  inputSchema: toStandardSchema(
    z.strictObject({
      id,
      updatedAt: text.describe('as returned by get'),
      version: text.describe('as listed by history'),
    }),
  ),
  outputSchema: replacedFields,
  annotations: { ...writing, destructiveHint: true, idempotentHint: true },
};

export function addHistoryTool({ server, secrets, ...answering }: ToolDeps): void {
  server.registerTool('history', history, ({ id, limit }) =>
    answer(answering, (store) => versionsOf(store, secrets, { id, limit })),
  );
}

export function addRevertTool({ server, changed, ...answering }: ToolDeps): void {
  server.registerTool('revert', revert, ({ id, updatedAt, version }) =>
    answer(answering, async (store) => {
      const note = await store.update(id, draftOf(await listedVersion(store, id, version)), [updatedAt]);
      changed();
      return { note: headOf(note), replaced: updatedAt };
    }),
  );
}

async function versionsOf(
  store: McpStore,
  secrets: Secrets,
  { id, limit }: { readonly id: number; readonly limit: number },
): Promise<Facts> {
  const versions: (z.infer<typeof Version> | undefined)[] = [];
  let after = await store.get(id);
  for await (const some of store.history(id, limit + 1)) {
    for (const before of some) {
      const { title, content, updatedAt: version } = before;
      const changed = changedFields(before, after);
      const head = { version, title: part(title, max.title), length: content.length, changed };
      versions.push(secrets.withholds(before) ? undefined : head);
      after = before;
    }
  }
  const some = versions.slice(0, limit);
  const shown = some.filter((version) => version !== undefined);
  const withheld = some.length - shown.length;
  return { versions: shown, truncated: versions.length > limit, ...(withheld > 0 && { withheld }) };
}
