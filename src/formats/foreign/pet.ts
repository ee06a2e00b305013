/**
 * Snippets of pet: `~/.config/pet/snippet.toml`, or another file or folder of `.toml` that its settings name. Based on
 * github.com/knqyf263/pet, snippet/snippet.go and dialog/params.go, and on files such as github.com/hahwul/hack-pet,
 * hackpet.toml. Names of fields are read in any case, as pet does.
 *
 * | in pet | in the note |
 * |---|---|
 * | `description` | the title, and a comment if it is too long for one; without it, the first line of the command |
 * | `command` | the text; `<name>` becomes `{{name}}`, `<name=default>` `{{name=default}}`, and choices a list of them |
 * | `tag` | a comment below the command |
 * | `output` | a comment below that |
 */
import { extname } from 'node:path';
import { invalid } from '../../core/error.ts';
import type { NoteFormat } from '../note-format.ts';
import { tryCreateOriginKey } from '../origin.ts';
import { createForeignRecord, findTitleLine, type ReadRecord } from '../record.ts';
import { readEachMatchingFile, readFileText, type Source, type SourceFile } from '../source.ts';
import { findFirstText, toArray, toObject, toText } from '../untyped-values.ts';
import { replaceBlanksByPlaceholders, toPlaceholderName } from './placeholder-text.ts';
import { appendComments } from './shell-comments.ts';

const snippetFile = /(^|\/)(?!config\.toml$)[^/]+\.toml$/i;

export const petFormat: NoteFormat = {
  name: 'pet',
  description: 'snippets of pet: snippet.toml, or the folder with it',
  isKnownByEnding: true,
  recognizes: ({ name, files }, head) =>
    files.length === 0
      ? ['.toml', ''].includes(extname(name).toLowerCase()) &&
        firstTable.test(head) &&
        /^\s*"?command"?\s*=/im.test(head)
      : files.includes('snippet.toml') && files.every((path) => /\.toml$/i.test(path)),
  read: (source) => readEachMatchingFile(source, snippetFile, (file) => readPetRecords(file, source)),
};

/** The first line that is neither blank nor a comment. */
const firstTable = /^\ufeff?(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*\[\[\s*snippets\s*\]\]/i;

async function* readPetRecords(file: SourceFile, source: Source): AsyncGenerator<ReadRecord, void, void> {
  const { name, modifiedAt } = file;
  const key = source.findOriginKey?.(source.files.length === 0 ? undefined : name);
  const seen = new Map<string, number>();
  for (const snippet of await readPetSnippets(file)) {
    const { description, command } = snippet;
    const stable = findFirstText(description, command);
    const times = (seen.get(stable) ?? 0) + 1;
    seen.set(stable, times);
    const content = replaceParametersByPlaceholders(command);
    const title = findFirstText(description, content).replace(/\s+/g, ' ');
    const isWhole = description === '' || findTitleLine(title) === title.trim();
    yield createForeignRecord(`“${findTitleLine(stable)}” of ${name}`, {
      title: description === '' ? content : title,
      content: content.trim() === '' ? '' : appendComments(content, listSnippetComments(snippet, isWhole)),
      category: 'bash-commands',
      color: 'neutral',
      otherwise: modifiedAt,
      origin: key && tryCreateOriginKey(key, times === 1 ? stable : `${stable}/${times}`),
    });
  }
}

interface Snippet {
  readonly description: string;
  readonly command: string;
  readonly tags: readonly string[];
  readonly output: string;
}

async function readPetSnippets(file: SourceFile): Promise<readonly Snippet[]> {
  const { parse, TomlError } = await import('smol-toml');
  const text = (await readFileText(file)).replace(/^\ufeff/, '');
  try {
    return listSnippetTables(parse(text)).map((table) => {
      const fields = convertKeysToLowerCase(table);
      const [description, command] = [toText(fields['description']), toText(fields['command'])];
      return { description, command, tags: toArray(fields['tag']).map(toText), output: toText(fields['output']) };
    });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw invalid(`${file.name} holds no snippets: it is not valid TOML (line ${error.line})`);
  }
}

/** The tables called `snippets`, in any case. */
const listSnippetTables = (root: object): readonly unknown[] => toArray(convertKeysToLowerCase(root)['snippets']);

function convertKeysToLowerCase(table: unknown) {
  return Object.fromEntries(Object.entries(toObject(table)).map(([key, value]) => [key.toLowerCase(), value]));
}

/**
 * `<name>`, `<name=default>`, or `<name=|_one_||_another_|>`. A name may be "mount dir e.g. /mnt/disk1". pet reads
 * more as one, such as `< in.txt 2>`.
 */
const parameterPattern = /<([\p{L}\p{N}_][\p{L}\p{M}\p{N}_ .,:;/()#&+'-]*)(?:=([^<>]*[^<>\s]))?>/gu;

/** The end of a name that is no name: a space, or the number of a stream as in `<in.txt 2>`. */
const notName = /(?: | \d|:\/\/.*)$/;

/** The last default of a name counts, as in pet. */
function replaceParametersByPlaceholders(command: string): string {
  const presets = new Map<string, string>();
  for (const [, name = '', preset] of command.matchAll(parameterPattern))
    if (preset !== undefined) presets.set(name, preset);
  return replaceBlanksByPlaceholders(command, parameterPattern, ([, name = '']) =>
    notName.test(name)
      ? undefined
      : { name: toPlaceholderName(name), choices: parseDefaultOrChoices(presets.get(name)) },
  );
}

function parseDefaultOrChoices(preset: string | undefined): readonly string[] {
  if (preset === undefined) return [];
  const several = /^\|_(.*)_\|$/s.exec(preset)?.[1];
  return several === undefined ? [preset] : several.split('_||_');
}

/** What of a snippet is in no other place; of a description, that it is too long for a title. */
function listSnippetComments({ description, tags, output }: Snippet, isInTitle: boolean): readonly string[] {
  const named = tags.filter((tag) => tag.trim() !== '').join(', ');
  return [
    ...(isInTitle ? [] : [description]),
    ...(named === '' ? [] : [named]),
    ...(output.trim() === '' ? [] : [`Output:\n${output}`]),
  ];
}
