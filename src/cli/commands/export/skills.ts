import { lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { ConfigError } from '../../../config.ts';
import type { Note } from '../../../domain/note.ts';
import { placeholdersIn } from '../../../domain/placeholders.ts';
import { newestFirst } from '../../../domain/sort.ts';
import { count, excerpt, plainName } from '../../../shared/text.ts';
import type { ExitCode } from '../../exit-code.ts';
import { attempt } from '../../file-errors.ts';
import type { Io } from '../../io.ts';
import { filterOf } from '../../notes/filter.ts';
import { openNotes } from '../../notes/open.ts';
import type { ExportFlags } from './options.ts';
import { writeFile } from './write.ts';

/** An assistant reads all names and descriptions at its start. Longer texts are left out. */
const max = { skills: 200, title: 200, description: 300, content: 100_000 };

/** A line of the front matter that no other program writes: this note may replace the file. */
const markOf = ({ id }: Note) => `  notes-id: "${id}"\n`;

/**
 * Writes active notes, prompts unless told, as skills: `<folder>/<name>/SKILL.md`. Files that are not of the same notes stay as
 * they are, which is told, with 1.
 */
export async function exportSkills(folder: string | undefined, flags: ExportFlags, io: Io): Promise<ExitCode> {
  if (folder === undefined || folder === '-') throw new ConfigError('Name a folder, as ~/.claude/skills');
  await using store = await openNotes(io, flags);
  const notes = (await store.list(filterOf({ ...flags, category: flags.category ?? 'prompts' }))).sort(newestFirst);
  const short = notes.filter(({ content }) => content.length <= max.content);
  const chosen = short.slice(0, max.skills);
  const foreign: string[] = [];
  for (const note of chosen) {
    const home = join(folder, plainName(note));
    if (isOthers(home, note)) foreign.push(home);
    else await attempt('write', home, async () => write(home, note));
  }
  const { stderr } = io;
  stderr.write(`Skills written to ${folder}: ${count(chosen.length - foreign.length)}\n`);
  if (notes.length > chosen.length)
    stderr.write(`Left out ${count(notes.length - chosen.length)}: too long, or too many\n`);
  for (const home of foreign) stderr.write(`Left as it is: ${home} belongs to another program\n`);
  return foreign.length > 0 ? 1 : 0;
}

/** Whether something is there that this note did not write. */
function isOthers(home: string, note: Note): boolean {
  const folder = lstatSync(home, { throwIfNoEntry: false });
  const file = lstatSync(join(home, 'SKILL.md'), { throwIfNoEntry: false });
  if (folder === undefined) return false;
  if (!folder.isDirectory()) return true;
  return file !== undefined && !(file.isFile() && readFileSync(join(home, 'SKILL.md'), 'utf8').includes(markOf(note)));
}

async function write(home: string, note: Note): Promise<void> {
  mkdirSync(home, { recursive: true });
  await writeFile(join(home, 'SKILL.md'), [skillOf(note)], true);
}

/** Its front matter: https://agentskills.io/specification */
function skillOf(note: Note): string {
  const { title, content } = note;
  const about = `${excerpt(title, max.title)}: ${excerpt(content, max.description)}`.replaceAll(/[<>]/g, '');
  const front = stringify({ name: plainName(note), description: about }, { lineWidth: 0, blockQuote: false });
  const names = placeholdersIn(content).map(({ name }) => name);
  const blanks = 'Put what the request says in the place of each {{name}}; ask for what it does not say.\n\n';
  return `---\n${front}metadata:\n${markOf(note)}---\n${names.length > 0 ? blanks : ''}${content}`;
}
