/**
 * Cheatsheets of navi: files that end with `.cheat` or `.cheat.md`, or a folder of them. Based on
 * github.com/denisidoro/navi, src/parser.rs, and on github.com/denisidoro/cheats.
 *
 * | in navi | in the note |
 * |---|---|
 * | `# description` | the title; without one, the first line of the command |
 * | lines of a command | the text; `<name>` becomes `{{name}}` |
 * | `% tags` | a comment below the command |
 * | `$ name: command` | a comment below each command that uses it, also by `@` |
 */

import type { NoteFormat } from '../../note-format.ts';
import { tryCreateOriginKey } from '../../origin.ts';
import { createRecordFromForeignNote, deriveStorableTitleOrEmpty, type ReadRecord } from '../../record.ts';
import { readFileText, type Source, type SourceFile, streamRecordsOfMatchingFiles } from '../../source.ts';
import { getFirstNonBlankOrEmpty } from '../../untyped-values.ts';
import { replaceBlanksByPlaceholders } from './placeholder-text.ts';
import { formatCommandThenComments } from './shell-comments.ts';

const cheatFile = /\.cheat(\.md)?$/i;

export const naviFormat: NoteFormat = {
  name: 'navi',
  description: 'cheatsheets of navi: a file .cheat, or a folder of them',
  isKnownByEnding: true,
  recognizes: ({ name, files }, head) =>
    files.length === 0
      ? cheatFile.test(name) && /^%/m.test(head)
      : files.filter((path) => cheatFile.test(path)).length > files.length / 2,
  async *streamRecords(source) {
    const sheets: Sheet[] = [];
    const others = await Array.fromAsync(
      streamRecordsOfMatchingFiles(source, cheatFile, async function* (file): AsyncGenerator<ReadRecord, void, void> {
        const sheet = parseCheatsheet(await readFileText(file), file, source);
        sheets.push(sheet);
        for (const description of sheet.descriptions)
          yield { kind: 'left out', location: `“${description}” of ${file.name}`, reason: 'It has no text' };
      }),
    );
    const variables = new CheatsheetVariables(sheets);
    for (const sheet of sheets) yield* iterateRecordsAndMarkUsedVariables(sheet, variables);
    yield* variables.iterateUnusedVariableRecords();
    yield* others;
  },
};

interface Cheat {
  readonly tags: string;
  readonly description: string;
  readonly command: string;
  /** The descriptions above the last one, which navi does not show. */
  readonly others: readonly string[];
}

interface Variable {
  readonly name: string;
  /** The name and the command of the variable, such as "branch: git branch". */
  readonly line: string;
  readonly tags: string;
}

interface Sheet extends Pick<SourceFile, 'name' | 'modifiedAt'> {
  /** The origin key of the file. */
  readonly key: string | undefined;
  readonly cheats: readonly Cheat[];
  readonly variables: readonly Variable[];
  /**
   * The tags after each `@`, by the tags of the section in which the `@` stands. Commands of the section may use the
   * variables of these tags, too.
   *
   * Example: below "% log", the line "@ branch" lets commands of `log` use the variables of `branch`.
   */
  readonly extended: ReadonlyMap<string, readonly string[]>;
  /** The descriptions that have no command. */
  readonly descriptions: readonly string[];
}

/** `$ name: command` */
const variableLine = /^\$\s*([^:]+):(.*)$/;

/** Parses a sheet line by line, as navi does. */
function parseCheatsheet(text: string, { name, modifiedAt }: SourceFile, source: Source): Sheet {
  const parser = new CheatsheetParser();
  for (const line of text.replace(/^\ufeff/, '').split(/\r?\n/)) parser.addLine(line);
  const { cheats, variables, extended, descriptions } = parser.finishSheet();
  const key = source.findOriginKey?.(source.files.length === 0 ? undefined : name);
  return { name, modifiedAt, key, cheats, variables, extended, descriptions };
}

/**
 * Collects the cheats and variables of the lines of a sheet. A line of another kind ends a command, and a description
 * is valid until the next one or the next tags.
 *
 * Example: the lines "% git", "# Log", "git log <branch>" and "$ branch: git branch" are one cheat and one variable.
 */
class CheatsheetParser {
  readonly #cheats: Cheat[] = [];
  readonly #variables: Variable[] = [];
  readonly #extended = new Map<string, string[]>();
  readonly #descriptions: string[] = [];
  #tags = '';
  #description = '';
  /** The descriptions that no command follows yet, and the lines of the command so far. */
  #pending: string[] = [];
  #command: string[] = [];

  addLine(line: string): void {
    if (line.trim() === '' || line.startsWith(';') || line.startsWith('```')) return;
    const [, variable = ''] = variableLine.exec(line) ?? [];
    const rest = line.slice(1).trim();
    if (/^[%#@]/.test(line) || variable !== '') this.#finishCommand();
    if (line.startsWith('%')) this.#flushDescriptionsAndSetTags(rest);
    else if (line.startsWith('@')) this.#extended.set(this.#tags, [...(this.#extended.get(this.#tags) ?? []), rest]);
    else if (line.startsWith('#')) this.#addDescription(rest);
    else if (variable !== '') this.#variables.push({ name: variable.trim(), line: rest, tags: this.#tags });
    else this.#command.push(line);
  }

  finishSheet(): Pick<Sheet, 'cheats' | 'variables' | 'extended' | 'descriptions'> {
    this.#finishCommand();
    this.#flushDescriptionsAndSetTags('');
    const [cheats, variables] = [this.#cheats, this.#variables];
    return { cheats, variables, extended: this.#extended, descriptions: this.#descriptions };
  }

  #addDescription(description: string): void {
    this.#description = description;
    if (description !== '') this.#pending.push(description);
  }

  #flushDescriptionsAndSetTags(tags: string): void {
    this.#descriptions.push(...this.#pending);
    [this.#tags, this.#description, this.#pending] = [tags, '', []];
  }

  #finishCommand(): void {
    if (this.#command.length === 0) return;
    this.#cheats.push({
      tags: this.#tags,
      description: this.#description,
      command: this.#command.join('\n'),
      others: this.#description === '' ? this.#pending : this.#pending.slice(0, -1),
    });
    [this.#pending, this.#command] = [[], []];
  }
}

/** Only such names are variables of navi: the others are HTML or addresses. */
const parameterPattern = /<(\w[\w-]*)>/g;

/** Finds the variables of all sheets. As in navi, a variable is found by its tags, in any file. */
class CheatsheetVariables {
  readonly #byTags = new Map<string, Map<string, Variable>>();
  readonly #extended = new Map<string, readonly string[]>();
  readonly #unused = new Map<Variable, string>();

  constructor(sheets: readonly Sheet[]) {
    for (const { name, variables, extended } of sheets) {
      for (const variable of variables) {
        const known = this.#byTags.get(variable.tags) ?? new Map<string, Variable>();
        this.#byTags.set(variable.tags, known.set(variable.name, variable));
        this.#unused.set(variable, name);
      }
      for (const [tags, others] of extended) this.#extended.set(tags, [...(this.#extended.get(tags) ?? []), ...others]);
    }
  }

  /**
   * Finds the variables in a command, and the variables in the lines of these variables.
   *
   * Example: the command is `git log <branch>`, and the line of the variable `branch` is `git branch --list <pattern>`.
   * The result is `branch` and `pattern`.
   */
  listVariablesOfCommand(command: string, tags: string): readonly Variable[] {
    const found = new Set<Variable>();
    const texts = [command];
    for (const text of texts) {
      for (const [, name = ''] of text.matchAll(parameterPattern)) {
        const variable = this.#findVariable(name, tags);
        if (variable === undefined || found.has(variable)) continue;
        found.add(variable);
        texts.push(variable.line);
      }
    }
    return [...found];
  }

  /** Remembers that commands use these variables, so that no record reports them. */
  markVariablesAsUsed(variables: readonly Variable[]): void {
    for (const variable of variables) this.#unused.delete(variable);
  }

  #findVariable(name: string, tags: string): Variable | undefined {
    const all = [tags, ...(this.#extended.get(tags) ?? [])];
    return all.map((one) => this.#byTags.get(one)?.get(name)).find((variable) => variable !== undefined);
  }

  *iterateUnusedVariableRecords(): Generator<ReadRecord, void, void> {
    for (const [{ line }, file] of this.#unused)
      yield { kind: 'left out', location: `“${line}” of ${file}`, reason: 'No command uses this variable', count: 0 };
  }
}

function* iterateRecordsAndMarkUsedVariables({ name, modifiedAt, key, cheats }: Sheet, variables: CheatsheetVariables) {
  const seen = new Map<string, number>();
  for (const { tags, description, command, others } of cheats) {
    const stable = getFirstNonBlankOrEmpty(description, command);
    const times = (seen.get(stable) ?? 0) + 1;
    seen.set(stable, times);
    const used = variables.listVariablesOfCommand(command, tags);
    variables.markVariablesAsUsed(used);
    const isWhole = deriveStorableTitleOrEmpty(stable) === stable;
    const comments = [...others, ...(isWhole ? [] : [description]), tags, ...used.map(({ line }) => line)].filter(
      (comment) => comment !== '',
    );
    yield createRecordFromForeignNote(`“${deriveStorableTitleOrEmpty(stable)}” of ${name}`, {
      title: stable,
      content: formatCommandThenComments(
        replaceBlanksByPlaceholders(command, parameterPattern, ([, blank = '']) => ({ name: blank, choices: [] })),
        comments,
      ),
      category: 'bash-commands',
      color: 'neutral',
      otherwise: modifiedAt,
      origin: key && tryCreateOriginKey(key, times === 1 ? stable : `${stable}/${times}`),
    });
  }
}
