/** Data files of other programs, in their formats. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openSource } from '../../../src/cli/commands/import/open-source.ts';
import type { ImportReport } from '../../../src/formats/import-report.ts';
import { Importer, type ImportTarget } from '../../../src/formats/importer.ts';
import { recognizeSource } from '../../../src/formats/recognize-source.ts';
import type { ReadRecord } from '../../../src/formats/record.ts';

/** Imports a file or a folder, as the command does. */
export async function importSource(store: ImportTarget, path: string, options = {}): Promise<ImportReport> {
  const { source, head } = await openSource(path, process.stdin, new AbortController().signal);
  const recognition = recognizeSource(source, head);
  if (recognition.kind !== 'format') throw new Error(`${path} is not recognized`);
  const onSkipped = (_: ReadRecord) => {};
  const importer = new Importer(store, {
    ...{ onSkipped, onBatch() {}, digest: String },
    ...options,
  });
  await importer.importRecords(recognition.format.streamRecords(recognition.source));
  return importer.report;
}

/** Writes a file and the folders above it. */
export function writeFileAndFolders(path: string, content: string | Uint8Array): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** The path of session `n` of Claude Code in a folder of projects. */
export const getNthClaudeSessionPath = (projects: string, n: number) =>
  join(projects, '-home-ada', `00000000-0000-4000-8000-${String(n).padStart(12, '0')}.jsonl`);

export function createClaudeSession(messages: number, title?: string): string {
  const lines = Array.from({ length: messages }, (_, at) => ({
    type: at % 2 === 0 ? 'user' : 'assistant',
    uuid: `u${at}`,
    timestamp: new Date(Date.UTC(2026, 0, 1, 9, at)).toISOString(),
    sessionId: 's',
    message: { role: at % 2 === 0 ? 'user' : 'assistant', content: `Message ${at}` },
  }));
  const named = title === undefined ? [] : [{ type: 'ai-title', aiTitle: title, sessionId: 's' }];
  return [...lines, ...named].map((line) => `${JSON.stringify(line)}\n`).join('');
}
