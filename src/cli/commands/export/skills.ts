import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { ConfigError } from '../../../config.ts';
import { unlessMissing } from '../../../domain/error.ts';
import type { Note } from '../../../domain/note.ts';
import { placeholdersIn } from '../../../domain/placeholders.ts';
import { newestFirst } from '../../../domain/sort.ts';
import type { PortableStore } from '../../../domain/store.ts';
import { count, excerpt, plainName } from '../../../shared/text.ts';
import type { ExitCode } from '../../exit-code.ts';
import { attempt } from '../../file-errors.ts';
import type { Io } from '../../io.ts';
import { filterOf } from '../../notes/filter.ts';
import { openNotes } from '../../notes/open.ts';
import type { ExportFlags } from './options.ts';
import { writeFile } from './write.ts';

const file = 'SKILL.md';

/** Assistants read all names and descriptions at startup. Notes with longer content are left out. */
const max = { skills: 200, title: 200, description: 300, content: 100_000 };

/** Front matter line that identifies the file of a note, which may then be replaced. */
const markOf = ({ id }: Note) => `  notes-id: "${id}"\n`;

/**
 * Writes active notes, by default prompts, as skills to `<folder>/<name>/SKILL.md`, and removes obsolete skills that it
 * wrote before. Files of other notes or programs and unreadable ones are kept and reported, with exit code 1.
 */
export async function exportSkills(folder: string | undefined, flags: ExportFlags, io: Io): Promise<ExitCode> {
  if (folder === undefined || folder === '-') throw new ConfigError('Give a folder, such as ~/.claude/skills');
  await using store = await openNotes(io, flags);
  const notes = (await store.list(filterOf({ ...flags, category: flags.category ?? 'prompts' }))).sort(newestFirst);
  const short = notes.filter(({ content }) => content.length <= max.content);
  const chosen = short.slice(0, max.skills);
  const foreign: string[] = [];
  for (const note of chosen) {
    const home = join(folder, plainName(note));
    const obstacle = obstacleAt(home, note);
    if (obstacle !== undefined) foreign.push(`${home} ${obstacle}`);
    else await attempt('write', home, async () => write(home, note));
  }
  const old = await attempt('clean up', folder, () => removeOld(folder, { store, matching: notes, chosen }));
  const { stderr } = io;
  stderr.write(`Skills written to ${folder}: ${count(chosen.length - foreign.length)}\n`);
  if (notes.length > chosen.length)
    stderr.write(`Left out ${count(notes.length - chosen.length)}: too long, or too many\n`);
  if (old.removed > 0)
    stderr.write(`Removed, as their notes were archived, renamed or left out: ${count(old.removed)}\n`);
  for (const home of old.changed) stderr.write(`Left as it is: ${home} was changed after it was written\n`);
  const notOurs = [...foreign, ...old.unreadable];
  for (const fault of notOurs) stderr.write(`Left as it is: ${fault}\n`);
  return notOurs.length > 0 ? 1 : 0;
}

const ofOthers = 'belongs to another program';
const unreadable = 'cannot be read';

/** Returns why the folder is not a skill of this note, as a clause; undefined if it is one or does not exist. */
function obstacleAt(home: string, note: Note): string | undefined {
  const folder = lstatSync(home, { throwIfNoEntry: false });
  if (folder === undefined) return undefined;
  const text = folder.isDirectory() ? textIn(home) : '';
  if (text === null) return unreadable;
  return text === undefined || text.includes(markOf(note)) ? undefined : ofOthers;
}

/** Reads the skill in a folder: undefined if there is none, empty for a link, null if it cannot be read. */
function textIn(home: string): string | null | undefined {
  try {
    const stats = lstatSync(join(home, file), { throwIfNoEntry: false });
    return stats && (stats.isFile() ? readFileSync(join(home, file), 'utf8') : '');
  } catch {
    return null;
  }
}

async function write(home: string, note: Note): Promise<void> {
  mkdirSync(home, { recursive: true });
  await writeFile(join(home, file), [skillOf(note)], true);
}

interface Exported {
  readonly store: PortableStore;
  /** The notes that matched the filters. */
  readonly matching: readonly Note[];
  /** The notes that were written. */
  readonly chosen: readonly Note[];
}

/** Removes skills of notes that are archived, or that match but are no longer written under this name. */
async function removeOld(folder: string, { store, matching, chosen }: Exported) {
  const names = new Set(chosen.map(plainName));
  const changed: string[] = [];
  const faults: string[] = [];
  let removed = 0;
  for (const name of existsSync(folder) ? readdirSync(folder).sort() : []) {
    const home = join(folder, name);
    const text = names.has(name) || !lstatSync(home).isDirectory() ? undefined : textIn(home);
    if (text === null) faults.push(`${home} ${unreadable}`);
    const id = Number(/\nmetadata:\n {2}notes-id: "(\d{1,15})"\n---\n/.exec(text ?? '')?.[1]);
    const note = id > 0 ? await store.get(id).catch(unlessMissing) : undefined;
    if (note === undefined || !(note.archived || matching.some((other) => other.id === id))) continue;
    const isOurs = await hasMade(note, (version) => plainName(version) === name && skillOf(version) === text, store);
    if (isOurs) {
      rmSync(join(home, file));
      if (readdirSync(home).length === 0) rmdirSync(home);
      removed++;
    } else changed.push(home);
  }
  return { removed, changed, unreadable: faults };
}

/** Whether the note or one of its earlier versions satisfies the predicate. */
async function hasMade(note: Note, makes: (version: Note) => boolean, store: PortableStore): Promise<boolean> {
  if (makes(note)) return true;
  for await (const versions of store.history(note.id)) if (versions.some(makes)) return true;
  return false;
}

/** Front matter as specified in https://agentskills.io/specification */
function skillOf(note: Note): string {
  const { title, content } = note;
  const about = `${excerpt(title, max.title)}: ${excerpt(content, max.description)}`.replaceAll(/[<>]/g, '');
  const front = stringify({ name: plainName(note), description: about }, { lineWidth: 0, blockQuote: false });
  const names = placeholdersIn(content).map(({ name }) => name);
  const blanks = 'Put what the request says in the place of each {{name}}; ask for what it does not say.\n\n';
  return `---\n${front}metadata:\n${markOf(note)}---\n${names.length > 0 ? blanks : ''}${content}`;
}
