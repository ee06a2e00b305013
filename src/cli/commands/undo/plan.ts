import { unlessMissing } from '../../../domain/error.ts';
import type { Note } from '../../../domain/note.ts';
import type { PortableStore } from '../../../domain/store.ts';
import { versionAt } from '../../../domain/versions.ts';
import { inTurns } from '../../../shared/concurrency/in-turns.ts';
import { count, counted } from '../../../shared/text.ts';
import type { Io } from '../../io.ts';
import type { Entry, Write } from '../../journal/journal.ts';
import { type Change, changeInWords, changeOf } from '../../notes/change.ts';
import { timeOf } from '../../terminal/note-page.ts';
import { printable, type Style, styleFor } from '../../terminal/style.ts';

/** A write that can be undone. */
interface Step {
  readonly write: Write;
  /** The current note and the change to its text; only for the first `maxShown` steps. */
  readonly shown?: { readonly note: Note; readonly change?: Change };
}

/** A note that cannot be restored, and why. */
interface Kept {
  readonly id: number;
  readonly reason: string;
}

interface Plan {
  readonly steps: readonly Step[];
  readonly kept: readonly Kept[];
}

const maxShown = 10;

/** Determines the result of undoing writes. Changes nothing. */
export async function planOf(writes: readonly Write[], store: PortableStore): Promise<Plan> {
  const [steps, kept]: [Step[], Kept[]] = [[], []];
  for await (const found of inTurns(writes, (write) => stepOf(write, store))) {
    if ('reason' in found) kept.push(found);
    else if (steps.length < maxShown) steps.push(found);
    else steps.push({ write: found.write });
  }
  return { steps, kept };
}

async function stepOf(write: Write, store: PortableStore): Promise<Step | Kept> {
  const { id, before, after } = write;
  const note = await store.get(id).catch(unlessMissing);
  if (note === undefined) return { id, reason: 'no longer exists' };
  if (note.updatedAt !== after) return { id, reason: 'has changed since' };
  if (before === undefined) return { write, shown: { note } };
  const version = await versionAt(store, id, before).catch(unlessMissing);
  if (version === undefined) return { id, reason: 'has no earlier text in its history' };
  return { write, shown: { note, change: changeOf(note, version) } };
}

/** Prints on stderr what an undo would change and what it would not. */
export function printPlan({ entry, steps, kept }: Plan & { readonly entry: Entry }, { stderr, env }: Io): void {
  const { command, at } = entry;
  const style = styleFor(stderr, env);
  const time = timeOf(new Date(at).toISOString());
  const lines = [
    `"notes ${command}" of ${time} wrote ${counted(entry.count)}.${steps.length > 0 ? ' To undo it:' : ''}`,
    ...listed(steps, (step) => stepLine(step, style)),
    ...(kept.length > 0 ? ['These stay as they are:'] : []),
    ...listed(kept, ({ id, reason }) => `${style.dim(`${id}`)}  ${reason}`),
  ];
  stderr.write(`${lines.join('\n')}\n`);
}

function listed<Item extends Step | Kept>(items: readonly Item[], lineOf: (item: Item) => string): readonly string[] {
  const lines = items.slice(0, maxShown).map((item) => `  ${lineOf(item)}`);
  return items.length > maxShown ? [...lines, `  and ${count(items.length - maxShown)} more`] : lines;
}

function stepLine({ write, shown }: Step, style: Style): string {
  const { id, archived, isNew } = write;
  const moved = isNew ? 'archive what was added' : archived ? 'archive' : 'bring back';
  const text = shown?.change === undefined ? [] : [changeInWords(shown.change, style)];
  const what = [...text, ...(archived === undefined ? [] : [moved])].join(', ');
  return `${style.dim(`${id}`)}  ${printable(shown?.note.title ?? '')}: ${what}`;
}
