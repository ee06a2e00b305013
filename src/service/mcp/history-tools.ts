import * as z from 'zod';
import { draftFields, Note } from '../../core/note.ts';
import { truncateText } from '../../core/text/truncate-text.ts';
import { listChangedDraftFields, pickDraftFields } from '../../core/versions.ts';
import { runToolAndReportErrors, type ToolOutput } from './mcp-responses.ts';
import { getNoteAtVersion, type McpStore } from './mcp-store.ts';
import {
  plainText,
  readAnnotations,
  replacedOutput,
  type ToolDeps,
  toNoteListItem,
  toStandardSchema,
  writeAnnotations,
} from './note-tools.ts';
import type { SecretPolicy } from './secret-policy.ts';

const historyLimits = { versions: 50, title: 200 };
const { id } = Note.shape;

const Version = z.object({
  version: plainText.describe('its updatedAt, to pass to get or revert'),
  title: plainText,
  length: z.int().describe('length of its content'),
  changed: z.array(z.enum(draftFields)).describe('what the next write changed'),
});

const historyTool = {
  title: 'List earlier versions of a note',
  description: 'Lists the versions of a note before each change of its fields, newest first, without their content.',
  inputSchema: toStandardSchema(z.strictObject({ id, limit: z.int().min(1).max(historyLimits.versions).default(10) })),
  outputSchema: toStandardSchema(
    z.object({
      versions: z.array(Version),
      truncated: z.boolean().describe('whether there are more versions than shown'),
      withheld: z.exactOptional(z.int()).describe('how many are left out because they seem to contain secrets'),
    }),
  ),
  annotations: readAnnotations,
};

const revertTool = {
  title: 'Revert a note to an earlier version',
  description:
    'Reverts title, content, category, group and color of a note to an earlier version, as listed by history; ' +
    'the current version stays in the history. ' +
    'Pass updatedAt as returned by get: if the note has changed since, nothing is written.',
  inputSchema: toStandardSchema(
    z.strictObject({
      id,
      updatedAt: plainText.describe('as returned by get'),
      version: plainText.describe('as listed by history'),
    }),
  ),
  outputSchema: replacedOutput,
  annotations: { ...writeAnnotations, destructiveHint: true, idempotentHint: true },
};

export function addHistoryTool({ server, secrets, ...context }: ToolDeps): void {
  server.registerTool('history', historyTool, ({ id, limit }) =>
    runToolAndReportErrors(context, (store) => readPermittedHistoryOutput(store, secrets, { id, limit })),
  );
}

export function addRevertTool({ server, notifyChanged, ...context }: ToolDeps): void {
  server.registerTool('revert', revertTool, ({ id, updatedAt, version }) =>
    runToolAndReportErrors(context, async (store) => {
      const note = await store.update(id, pickDraftFields(await getNoteAtVersion(store, id, version)), [updatedAt]);
      notifyChanged();
      return { note: toNoteListItem(note), replaced: updatedAt };
    }),
  );
}

async function readPermittedHistoryOutput(
  store: McpStore,
  secrets: SecretPolicy,
  { id, limit }: { readonly id: number; readonly limit: number },
): Promise<ToolOutput> {
  const versions: (z.infer<typeof Version> | undefined)[] = [];
  let after = await store.get(id);
  for await (const some of store.history(id, limit + 1)) {
    for (const before of some) {
      const { title, content, updatedAt: version } = before;
      const changed = listChangedDraftFields(before, after);
      const head = { version, title: truncateText(title, historyLimits.title), length: content.length, changed };
      versions.push(secrets.isWithheldNote(before) ? undefined : head);
      after = before;
    }
  }
  const some = versions.slice(0, limit);
  const shown = some.filter((version) => version !== undefined);
  const withheld = some.length - shown.length;
  return { versions: shown, truncated: versions.length > limit, ...(withheld > 0 && { withheld }) };
}
