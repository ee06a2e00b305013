import { categories, groups, type NoteFilter } from '../../domain/note.ts';
import { type Slot, Slots } from '../slots.ts';
import type { Connection, Connections } from './connections.ts';
import { columns, type NoteRow, noteOf } from './row.ts';

/** Up to so many notes a list is read by one statement; a longer one by a cursor. */
const fewNotes = 64;

/** How many notes are fetched at once, and how long one of them may be, in bytes, to be fetched with others. */
const fetchedNotes = 512;
const longNote = 64 * 1024;

/** Up to about this many characters a list is answered in one piece. */
const wholeLength = 1024 * 1024;
const chunkLength = 128 * 1024;

/** A list as it was at one moment. A long one holds a connection and a snapshot until `rest` ends or is told to return. */
export type Listing =
  | { readonly kind: 'whole'; readonly json: string }
  | {
      readonly kind: 'long';
      readonly state: string;
      readonly head: string;
      readonly rest: AsyncGenerator<string, void, void>;
    };

/** A row whose texts are left out when they are long. */
type ShortRow = Omit<NoteRow, 'title' | 'content'> & { readonly title: string | null; readonly content: string | null };

const isLong = `octet_length(title) + octet_length(content) > ${longNote}`;
const shortText = (column: string) => `CASE WHEN ${isLong} THEN NULL ELSE ${column} END AS ${column}`;
const shortColumns = columns.replace('title, content', `${shortText('title')}, ${shortText('content')}`);

/** The notes that match, in order of id. All columns of the index are named, so that it serves every filter. */
function selectFor({ category, group, archived }: NoteFilter): string {
  const conditions =
    category === undefined && group === undefined && archived === undefined
      ? ''
      : `WHERE archived IN (${archived ?? 'false, true'})
           AND category IN (${quoted(category === undefined ? categories : [category])})
           AND "group" IN (${quoted(group === undefined ? groups : [group])})`;
  return `SELECT ${shortColumns} FROM notes ${conditions} ORDER BY id`;
}

const quoted = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/** Reads lists. At most `snapshots` long ones at once; who comes later waits for `waitMs`, then fails with `busy`. */
export class Reader {
  readonly #connections: Connections;
  readonly #snapshots: Slots;

  constructor(connections: Connections, snapshots: number, waitMs = 30_000) {
    this.#connections = connections;
    this.#snapshots = new Slots(snapshots, waitMs);
  }

  /** How many long lists are being read. */
  get snapshots(): number {
    return this.#snapshots.taken;
  }

  async read(filter: NoteFilter): Promise<Listing> {
    const rows = await this.#connections.read<ShortRow>(`${selectFor(filter)} LIMIT ${fewNotes + 1}`);
    if (rows.length > fewNotes || !rows.every(isWhole)) return this.#readLong(filter);
    return { kind: 'whole', json: `[${rows.map(jsonOfRow).join()}]` };
  }

  async #readLong(filter: NoteFilter): Promise<Listing> {
    const slot = await this.#snapshots.take();
    const connection = await this.#connections.hold().catch((error) => {
      slot.free();
      throw error;
    });
    const rest = texts(connection, filter, slot);
    const { value: state } = await rest.next();
    let head = '';
    for (let next = await rest.next(); !next.done; next = await rest.next()) {
      head += next.value;
      if (head.length >= wholeLength) return { kind: 'long', state: state ?? '', head, rest };
    }
    return { kind: 'whole', json: head };
  }
}

/** What a snapshot is called, then the JSON text of the list in it. */
async function* texts(connection: Connection, filter: NoteFilter, slot: Slot): AsyncGenerator<string, void, void> {
  try {
    const [snapshot] = await connection.run<{ state: string }>(
      'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT pg_current_snapshot()::text AS state',
    );
    yield snapshot?.state ?? '';
    let text = '[';
    let separator = '';
    for (let count = fewNotes; ; count = fetchedNotes) {
      const open = count === fewNotes ? `DECLARE list NO SCROLL CURSOR FOR ${selectFor(filter)}; ` : '';
      const rows = await connection.run<ShortRow>(`${open}FETCH ${count} FROM list`);
      for (const row of rows) {
        text += separator + jsonOfRow(isWhole(row) ? row : await completed(connection, row));
        separator = ',';
        if (text.length < chunkLength) continue;
        yield text;
        text = '';
      }
      if (rows.length < count) break;
    }
    yield `${text}]`;
  } finally {
    await connection.run('ROLLBACK').catch(() => {}); // nothing was written; a broken connection is closed
    connection.release();
    slot.free();
  }
}

/** A note whose texts were left out, with them, as the snapshot shows it. */
async function completed(connection: Connection, { id }: ShortRow): Promise<NoteRow> {
  const [row] = await connection.run<NoteRow>(`SELECT ${columns} FROM notes WHERE id = ${id}`);
  if (row === undefined) throw new Error(`Note ${id} is not in the snapshot that listed it`);
  return row;
}

const isWhole = (row: ShortRow): row is NoteRow => row.title !== null && row.content !== null;

const jsonOfRow = (row: NoteRow) => JSON.stringify(noteOf(row));
