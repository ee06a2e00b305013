import { count, counted } from '../../../shared/text.ts';
import type { Io } from '../../io.ts';
import type { Entry } from '../../journal/journal.ts';
import { changeInWords } from '../../notes/change.ts';
import { timeOf } from '../../terminal/note-page.ts';
import { printable, type Style, styleFor } from '../../terminal/style.ts';
import { type Kept, maxShown, type Plan, type Step } from './plan.ts';

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
