/** Imports notes by the same rules as `notes import`. */
import { createPortableClient } from '../../client/portable.ts';
import type { ImportReport } from '../../formats/import-report.ts';
import { Importer } from '../../formats/importer.ts';
import type { NoteRecord } from '../../formats/record.ts';
import { failureText, refresh } from '../state/notes.ts';
import { notify } from '../state/notifications.ts';
import { noteCount } from '../ui/format.ts';

const service = createPortableClient(new URL('.', document.baseURI).href);

/**
 * Imports notes and shows a notification. `onProgress` gets the number of processed notes. Returns why it ended early.
 * Idempotent: a retry with the same records stores nothing twice.
 */
export async function importNotes(
  records: readonly NoteRecord[],
  onProgress: (done: number) => void,
): Promise<string | undefined> {
  const refused: string[] = [];
  const importer = new Importer(service, {
    onSkipped: ({ location, reason }) => refused.push(`${location}: ${reason}`),
    onBatch: (report) => onProgress(through(report)),
    digest: String,
  });
  window.addEventListener('beforeunload', ask);
  try {
    await importer.run(records);
    notify(sentence(importer.report, refused), { kind: refused.length > 0 ? 'notice' : 'done' });
    return undefined;
  } catch (error) {
    const why = failureText(error);
    return `${sentence(importer.report, refused)}. ${why}. Try again: nothing is stored twice`;
  } finally {
    window.removeEventListener('beforeunload', ask);
    void refresh();
  }
}

const ask = (event: BeforeUnloadEvent) => event.preventDefault();

const stored = ({ added, replaced, updated, diverged, versions }: ImportReport) =>
  added + replaced + updated + diverged + versions;
const through = (report: ImportReport) =>
  stored(report) + report.unchanged + report.newer + report.different + report.bad;

/** "Imported 3 notes; 1 note already there". */
function sentence(report: ImportReport, refused: readonly string[]): string {
  const { replaced, updated, diverged, unchanged, newer, different } = report;
  const parts = [
    `Imported ${noteCount(stored(report))}`,
    replaced > 0 && `${noteCount(replaced)} replaced an older version`,
    updated > 0 && `${noteCount(updated)} updated from the source`,
    diverged > 0 &&
      `${noteCount(diverged)} changed both here and at the source: the history has the text of the source`,
    unchanged > 0 && `${noteCount(unchanged)} already there`,
    newer + different > 0 && `${noteCount(newer + different)} not imported, as other versions are there`,
    ...refused.slice(0, 3),
  ];
  return parts.filter(Boolean).join('; ');
}
