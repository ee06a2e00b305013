/** Merges two changed versions of a note. */
import { diffArrays } from 'diff';
import { draftFields } from '../../core/enums.ts';
import type { NoteDraft } from '../../core/note.ts';

/** Two versions, and the one that both are based on. */
export interface Versions {
  readonly base: NoteDraft;
  readonly mine: NoteDraft;
  readonly theirs: NoteDraft;
}

/** Takes each change of either side; undefined if both changed the same field, or the same lines of the content. */
export function merged({ base, mine, theirs }: Versions): NoteDraft | undefined {
  const fields: NoteDraft = { ...theirs };
  for (const name of draftFields) {
    if (mine[name] === base[name] || mine[name] === theirs[name]) continue;
    if (theirs[name] === base[name]) Object.assign(fields, { [name]: mine[name] });
    else if (name !== 'content') return undefined;
  }
  if (fields.content === mine.content || mine.content === base.content) return fields;
  const content = mergedText(base.content, mine.content, theirs.content);
  return content === undefined ? undefined : { ...fields, content };
}

/** The lines from `from` to `to`, exclusive, of a text become `lines`. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/** In ms. Texts that differ too much are not merged. */
const timeout = 500;

/** Undefined if the changed lines overlap or touch. */
export function mergedText(base: string, mine: string, theirs: string): string | undefined {
  const lines = linesOf(base);
  const ours = editsOf(lines, linesOf(mine));
  const others = editsOf(lines, linesOf(theirs));
  if (!ours || !others) return undefined;
  const result: string[] = [];
  let [from, reached] = [0, -1];
  for (const edit of [...ours, ...others.filter((edit) => !ours.some((our) => isSame(our, edit)))].sort(inOrder)) {
    if (edit.from <= reached) return undefined;
    result.push(...lines.slice(from, edit.from), ...edit.lines);
    from = reached = edit.to;
  }
  return [...result, ...lines.slice(from)].join('');
}

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? [];

const isSame = (one: Edit, other: Edit) =>
  one.from === other.from && one.to === other.to && one.lines.join('') === other.lines.join('');

const inOrder = (one: Edit, other: Edit) => one.from - other.from || one.to - other.to;

/** Undefined after `timeout`. */
function editsOf(before: string[], after: string[]): Edit[] | undefined {
  const edits: Edit[] = [];
  let [at, from, lines]: [number, number, string[]] = [0, 0, []];
  const end = () => {
    if (at > from || lines.length > 0) edits.push({ from, to: at, lines });
  };
  const changes = diffArrays(before, after, { timeout });
  for (const { value, added, removed } of changes ?? []) {
    if (added) lines.push(...value);
    else if (removed) at += value.length;
    else {
      end();
      at += value.length;
      [from, lines] = [at, []];
    }
  }
  end();
  return changes && edits;
}
