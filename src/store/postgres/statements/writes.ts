import { NoteError } from '../../../domain/error.ts';
import * as message from '../../../domain/message.ts';
import { draftFields, type Note } from '../../../domain/note.ts';
import type { IfMatch } from '../../../domain/store.ts';
import type { Change, Create, Outcome, Write } from '../../engine.ts';
import { columns, newNote, noteOf, timestamp } from '../../row.ts';
import type { NoteRow } from '../row.ts';
import { keptVersions } from './versions.ts';

/** A created note. Its other fields are those of the draft. */
type NewRow = Pick<NoteRow, 'id' | 'updated_at'> & { readonly is_new: true };
/** A note to change. Its title is null if the condition failed or another transaction has locked it. */
type FoundRow = (NoteRow | { readonly id: string; readonly title: null }) & {
  readonly is_new: false;
  readonly is_busy: boolean;
};
export type WrittenRow = NewRow | FoundRow;

/**
 * How a statement treats a note locked by another transaction: skip it, wait for it briefly, or leave that to Citus,
 * which always waits.
 */
export type OnLocked = 'skip' | 'wait' | 'citus';

/** Lock timeout of a statement, in ms. The statement then fails with SQLSTATE 55P03. */
export const lockTimeoutMs = 500;

/** Approximate limit for the characters of notes in one statement. */
const maxLength = 4 * 1024 * 1024;

/**
 * Returns how many of the writes fit into one statement. It changes no note twice, as all its parts see the same
 * snapshot.
 */
export function countOfBatch(writes: readonly Write[]): number {
  const changed = new Set<number>();
  let length = 0;
  for (const [index, write] of writes.entries()) {
    const { title = '', content = '' } = write.kind === 'create' ? write.draft : write.change;
    length += title.length + content.length;
    if (index > 0 && length > maxLength) return index;
    if (write.kind === 'create') continue;
    if (changed.has(write.id)) return index;
    changed.add(write.id);
  }
  return writes.length;
}

export interface WriteRules {
  /** Overrides the clock of the database, in ms since 1970; null uses that clock. */
  readonly now: number | null;
  readonly onLocked: OnLocked;
  /** Maximum number of versions kept per note; 0 keeps none. */
  readonly maxVersions: number;
}

/** Returns one statement for the writes, which is a transaction of its own, its values, and how to read its rows. */
export function batchOf(writes: readonly Write[], { now, onLocked, maxVersions }: WriteRules) {
  const creates = writes.filter((write): write is Create => write.kind === 'create');
  const changes = writes.filter((write): write is Change => write.kind === 'change');
  const keeps = changes.some(changesText) ? maxVersions : 0;
  return {
    statement: statementFor({ creates: creates.length > 0, changes: changes.length > 0 }, onLocked, keeps),
    values: [JSON.stringify(creates.map(({ draft }) => draft)), recordsOf(changes), now],
    outcomes(rows: readonly WrittenRow[]): readonly Outcome[] {
      const made = rows.filter((row) => row.is_new).sort((a, b) => Number(a.id) - Number(b.id));
      const found = new Map(rows.filter((row) => !row.is_new).map((row) => [Number(row.id), row]));
      let next = 0;
      return writes.map((write) =>
        write.kind === 'create' ? createdNote(write, made[next++]) : outcomeOf(write.id, found.get(write.id)),
      );
    },
  };
}

/** Whether a write changes fields that versions record. */
export const changesText = (write: Write): write is Change =>
  write.kind === 'change' && draftFields.some((field) => field in write.change);

/** Changes as JSON for `changesIn`. */
export const recordsOf = (changes: readonly Change[]): string =>
  JSON.stringify(
    changes.map(({ id, change, ifMatch }) => ({ id, ...change, ...(ifMatch && { if_match: timesIn(ifMatch) }) })),
  );

/** Quotes JSON with dollar signs, and escapes those in it, so that no server setting affects parsing. */
export const jsonLiteral = (json: string): string => `$$${json.replaceAll('$', '\\u0024')}$$`;

/** Inlines values (texts of JSON, numbers, null) into a statement, for a message of several statements. */
export const inlined = (statement: string, values: readonly unknown[]): string =>
  statement.replace(/\$(\d)/g, (_, n) => {
    const value = values[n - 1];
    return typeof value === 'string' ? jsonLiteral(value) : String(value ?? 'NULL');
  });

/** Times of the tags, in ms since 1970. */
const timesIn = (tags: IfMatch) => tags.flatMap(timeIn);

/** Returns the time of a tag, or none if the tag is not in our format. */
function timeIn(tag: string): number[] {
  const ms = Date.parse(tag);
  return Number.isNaN(ms) || timestamp(ms) !== tag ? [] : [ms];
}

function createdNote({ draft }: Create, row: NewRow | undefined): Note {
  if (row === undefined) throw new Error('The database stored fewer notes than it was given');
  return newNote(Number(row.id), draft, Number(row.updated_at));
}

function outcomeOf(id: number, row: FoundRow | undefined): Outcome {
  if (row === undefined) return new NoteError('not_found', message.noSuchNote(id));
  if (row.title !== null) return noteOf(row);
  return row.is_busy ? new NoteError('busy', message.noteLocked) : new NoteError('conflict', message.noteChanged(id));
}

/** SQL for ms since 1970: the value, or the clock of the database if it is null. */
export const clock = (value: string) =>
  `coalesce(${value}::bigint, floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint)`;

/**
 * Makes the commit wait for the disk even if the server does not await commits. Set per transaction, it works with
 * connection pools and after the setting was changed. Stronger settings are kept.
 */
export const awaitCommit = `CASE WHEN current_setting('synchronous_commit', true) = 'off'
  THEN set_config('synchronous_commit', 'on', true) END`;

/** In the order of the drafts, so that ids ascend. */
const created = `created AS (
  INSERT INTO notes (title, content, category, "group", color, created_at, updated_at)
  SELECT title, content, category, "group", color, ${clock('$3')}, ${clock('$3')}
  FROM json_to_recordset($1::text::json) AS draft(title text, content text, category text, "group" text, color text)
  RETURNING id, updated_at)`;

/** SQL for changes in JSON, as a FROM item named `change`. */
export const changesIn = (json: string) => `json_to_recordset(${json}::text::json) AS change(id bigint, title text,
    content text, category text, "group" text, color text, archived boolean, if_match bigint[])`;

const changeWith = (columns: string) => `change AS (SELECT ${columns} FROM ${changesIn('$2')})`;

/** Whether `change` is for this note and its condition holds. */
export const matchesChange = `notes.id = change.id
  AND (change.if_match IS NULL OR notes.updated_at = ANY (change.if_match))`;

const found = 'found AS (SELECT notes.id FROM notes JOIN change ON change.id = notes.id)';

const locked = (from: string, option: string) =>
  `locked AS (SELECT notes.* FROM ${from} JOIN change ON change.id = notes.id FOR UPDATE OF notes ${option})`;

/** Applies the changes of a FROM item. */
export const updateFrom = (source: string, now: string) => `UPDATE notes SET
    title = coalesce(change.title, notes.title),
    content = coalesce(change.content, notes.content),
    category = coalesce(change.category, notes.category),
    "group" = coalesce(change."group", notes."group"),
    color = coalesce(change.color, notes.color),
    archived = coalesce(change.archived, notes.archived),
    updated_at = greatest(${now}, notes.updated_at + 1)
  FROM ${source} WHERE ${matchesChange}`;

const changedIn = (source: string, now: string) => `changed AS (${updateFrom(source, now)} RETURNING notes.*)`;

/** `locked` has the rows before this change, even if others changed them since the statement began. */
const changedLocked = (locked: string) => [
  changeWith('*'),
  found,
  locked,
  changedIn('locked JOIN change ON change.id = locked.id', clock('$3')),
];

/**
 * Parts by treatment of locked notes. Skipping them delays only writes to these notes, and instances never wait for
 * each other. Joining `given` applies the settings before waiting for locks. Citus supports neither row locks in a CTE
 * nor a clock in SET.
 */
const partsFor = {
  skip: changedLocked(locked('notes', 'SKIP LOCKED')),
  wait: changedLocked(locked('given CROSS JOIN notes', '')),
  citus: [changeWith(`*, ${clock('$3')} AS now`), found, changedIn('change', 'change.now')],
} as const satisfies Record<OnLocked, readonly string[]>;

/** Settings for the transaction of a statement. Queries join them, because an unreferenced CTE is not evaluated. */
const settingsFor = {
  skip: `, ${awaitCommit}`,
  wait: `, ${awaitCommit}, set_config('lock_timeout', '${lockTimeoutMs}', true)`,
  citus: '', // would be set on other nodes than those that commit
} as const satisfies Record<OnLocked, string>;

const selectNew = `SELECT true AS is_new, false AS is_busy, id, NULL AS title, NULL AS content, NULL AS category,
  NULL AS "group", NULL AS color, NULL::boolean AS archived, updated_at AS created_at, updated_at FROM created`;
const foundColumns = columns.replaceAll(/(?:^|, )/g, '$&changed.').replace('changed.id', 'found.id');
const selectFound = `SELECT false AS is_new, locked.id IS NULL AS is_busy, ${foundColumns}
  FROM found LEFT JOIN locked ON locked.id = found.id LEFT JOIN changed ON changed.id = found.id`;
const selectAwaited = `SELECT false AS is_new, false AS is_busy, ${foundColumns}
  FROM found LEFT JOIN changed ON changed.id = found.id`;

type Kinds = { readonly creates: boolean; readonly changes: boolean };

/**
 * Includes only the parts that a batch needs, which keeps up to `keeps` versions per note. All statements take the same
 * values, so each uses `$1` to `$3`.
 */
function statementFor({ creates, changes }: Kinds, onLocked: OnLocked, keeps: number): string {
  const parts = [
    `given AS (SELECT $1::text, $2::text, $3::bigint${settingsFor[onLocked]})`,
    ...(creates ? [created] : []),
    ...(changes ? partsFor[onLocked] : []),
    ...(keeps > 0 && onLocked !== 'citus' ? keptVersions(keeps) : []),
  ];
  const selects = [
    ...(creates ? [selectNew] : []),
    ...(changes ? [onLocked === 'citus' ? selectAwaited : selectFound] : []),
  ];
  const joined = selects.map((select) => (onLocked === 'citus' ? select : `${select}, given`));
  return `WITH ${parts.join(', ')} ${joined.join(' UNION ALL ')}`;
}
