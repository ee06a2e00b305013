/** Imports notes by the same rules as `notes import`. */
import { createPortableClient } from '../../client/portable.ts';
import type { ImportReport } from '../../formats/importer.ts';
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

const stored = ({ added, updated, versions }: ImportReport) => added + updated + versions;
const through = (report: ImportReport) => stored(report) + report.unchanged + report.left + report.bad;

/** "Imported 3 notes; 1 note already there". */
function sentence(report: ImportReport, refused: readonly string[]): string {
  const { updated, versions, unchanged, left } = report;
  const parts = [
    `Imported ${noteCount(stored(report))}`,
    updated > 0 && `${noteCount(updated)} replaced an older version`,
    versions > 0 && `${noteCount(versions)} added to the history, as the notes here are newer`,
    unchanged > 0 && `${noteCount(unchanged)} already there`,
    left > 0 && `${noteCount(left)} not imported, as another text has the same time`,
    ...refused.slice(0, 3),
  ];
  return parts.filter(Boolean).join('; ');
}
