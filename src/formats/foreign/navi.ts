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

import type { NoteFormat } from '../note-format.ts';
import { tryCreateOriginKey } from '../origin.ts';
import { createForeignRecord, findTitleLine, type ReadRecord } from '../record.ts';
import { readEachMatchingFile, readFileText, type Source, type SourceFile } from '../source.ts';
import { findFirstText } from '../untyped-values.ts';
import { replaceBlanksByPlaceholders } from './placeholder-text.ts';
import { appendComments } from './shell-comments.ts';

const cheatFile = /\.cheat(\.md)?$/i;

export const naviFormat: NoteFormat = {
  name: 'navi',
  description: 'cheatsheets of navi: a file .cheat, or a folder of them',
  isKnownByEnding: true,
  recognizes: ({ name, files }, head) =>
    files.length === 0
      ? cheatFile.test(name) && /^%/m.test(head)
      : files.filter((path) => cheatFile.test(path)).length > files.length / 2,
  async *read(source) {
    const sheets: Sheet[] = [];
    const others = await Array.fromAsync(
      readEachMatchingFile(source, cheatFile, async function* (file): AsyncGenerator<ReadRecord, void, void> {
        const sheet = parseCheatsheet(await readFileText(file), file, source);
        sheets.push(sheet);
        for (const description of sheet.descriptions)
          yield { kind: 'left out', location: `“${description}” of ${file.name}`, reason: 'It has no text' };
      }),
    );
    const variables = new SheetVariables(sheets);
    for (const sheet of sheets) yield* createRecordsOfSheet(sheet, variables);
    yield* variables.createUnusedVariableRecords();
    yield* others;
  },
};

interface Cheat {
  readonly tags: string;
  readonly description: string;
  readonly command: string;
  /** Descriptions above the last one, which navi does not show. */
  readonly others: readonly string[];
}

interface Variable {
  readonly name: string;
  /** With its name and its command, such as "branch: git branch". */
  readonly line: string;
  readonly tags: string;
}

interface Sheet extends Pick<SourceFile, 'name' | 'modifiedAt'> {
  /** The key of its file. */
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
  /** Descriptions without a command. */
  readonly descriptions: readonly string[];
}

/** `$ name: command` */
const variableLine = /^\$\s*([^:]+):(.*)$/;

/**
 * Reads line by line, as navi does: a line of another kind ends a command, and a description is valid until the next
 * one or the next tags. The lines "% git", "# Log", "git log <branch>", "$ branch: git branch" are one cheat and one
 * variable.
 */
function parseCheatsheet(text: string, { name, modifiedAt }: SourceFile, source: Source): Sheet {
  const cheats: Cheat[] = [];
  const variables: Variable[] = [];
  const extended = new Map<string, string[]>();
  const descriptions: string[] = [];
  let [tags, description] = ['', ''];
  let [pending, command]: [string[], string[]] = [[], []];
  const finishCheat = () => {
    if (command.length === 0) return;
    cheats.push({
      tags,
      description,
      command: command.join('\n'),
      others: description === '' ? pending : pending.slice(0, -1),
    });
    [pending, command] = [[], []];
  };
  const beginTagSection = (next: string) => {
    descriptions.push(...pending);
    [tags, description, pending] = [next, '', []];
  };
  for (const line of text.replace(/^\ufeff/, '').split(/\r?\n/)) {
    const [mark, rest] = [line.slice(0, 1), line.slice(1).trim()];
    const [, variable = ''] = variableLine.exec(line) ?? [];
    if (line.trim() === '' || mark === ';' || line.startsWith('```')) continue;
    if ('%#@'.includes(mark) || variable !== '') finishCheat();
    if (mark === '%') beginTagSection(rest);
    else if (mark === '@') extended.set(tags, [...(extended.get(tags) ?? []), rest]);
    else if (mark === '#') {
      description = rest;
      if (rest !== '') pending.push(rest);
    } else if (variable !== '') variables.push({ name: variable.trim(), line: rest, tags });
    else command.push(line);
  }
  finishCheat();
  beginTagSection('');
  const key = source.findOriginKey?.(source.files.length === 0 ? undefined : name);
  return { name, modifiedAt, key, cheats, variables, extended, descriptions };
}

/** Only such names are variables of navi: the others are HTML or addresses. */
const parameterPattern = /<(\w[\w-]*)>/g;

/** The variables of all sheets; navi finds them by tags, in any of its files. */
class SheetVariables {
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
  findVariables(command: string, tags: string): readonly Variable[] {
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
  rememberUsed(variables: readonly Variable[]): void {
    for (const variable of variables) this.#unused.delete(variable);
  }

  #findVariable(name: string, tags: string): Variable | undefined {
    const all = [tags, ...(this.#extended.get(tags) ?? [])];
    return all.map((one) => this.#byTags.get(one)?.get(name)).find((variable) => variable !== undefined);
  }

  *createUnusedVariableRecords(): Generator<ReadRecord, void, void> {
    for (const [{ line }, file] of this.#unused)
      yield { kind: 'left out', location: `“${line}” of ${file}`, reason: 'No command uses this variable', count: 0 };
  }
}

function* createRecordsOfSheet({ name, modifiedAt, key, cheats }: Sheet, variables: SheetVariables) {
  const seen = new Map<string, number>();
  for (const { tags, description, command, others } of cheats) {
    const stable = findFirstText(description, command);
    const times = (seen.get(stable) ?? 0) + 1;
    seen.set(stable, times);
    const used = variables.findVariables(command, tags);
    variables.rememberUsed(used);
    const isWhole = findTitleLine(stable) === stable;
    const comments = [...others, ...(isWhole ? [] : [description]), tags, ...used.map(({ line }) => line)].filter(
      (comment) => comment !== '',
    );
    yield createForeignRecord(`“${findTitleLine(stable)}” of ${name}`, {
      title: stable,
      content: appendComments(
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
