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
import { createInvalidError } from '../../../core/error.ts';
import type { NoteFormat } from '../../note-format.ts';
import { tryCreateOriginKey } from '../../origin.ts';
import { createRecordFromForeignNote, deriveStorableTitleOrEmpty, type ReadRecord } from '../../record.ts';
import { readFileText, type Source, type SourceFile, streamRecordsOfMatchingFiles } from '../../source.ts';
import { getFirstNonBlankOrEmpty, toArrayOrEmpty, toObjectOrEmpty, toTextOrEmpty } from '../../untyped-values.ts';
import { replaceBlanksByPlaceholders, toPlaceholderNameOrEmpty } from './placeholder-text.ts';
import { formatCommandThenComments } from './shell-comments.ts';

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
  streamRecords: (source) =>
    streamRecordsOfMatchingFiles(source, snippetFile, (file) => streamPetFileRecords(file, source)),
};

/** Whether the first line that is neither blank nor a comment begins a snippet. */
const firstTable = /^\ufeff?(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*\[\[\s*snippets\s*\]\]/i;

async function* streamPetFileRecords(file: SourceFile, source: Source): AsyncGenerator<ReadRecord, void, void> {
  const { name, modifiedAt } = file;
  const key = source.findOriginKey?.(source.files.length === 0 ? undefined : name);
  const seen = new Map<string, number>();
  for (const snippet of await readPetSnippets(file)) {
    const { description, command } = snippet;
    const stable = getFirstNonBlankOrEmpty(description, command);
    const times = (seen.get(stable) ?? 0) + 1;
    seen.set(stable, times);
    const content = replaceParametersByPlaceholders(command);
    const title = getFirstNonBlankOrEmpty(description, content).replace(/\s+/g, ' ');
    const isWhole = description === '' || deriveStorableTitleOrEmpty(title) === title.trim();
    yield createRecordFromForeignNote(`“${deriveStorableTitleOrEmpty(stable)}” of ${name}`, {
      title: description === '' ? content : title,
      content: content.trim() === '' ? '' : formatCommandThenComments(content, createSnippetComments(snippet, isWhole)),
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
      const fields = copyWithLowerCaseKeys(table);
      const [description, command] = [toTextOrEmpty(fields['description']), toTextOrEmpty(fields['command'])];
      return {
        description,
        command,
        tags: toArrayOrEmpty(fields['tag']).map(toTextOrEmpty),
        output: toTextOrEmpty(fields['output']),
      };
    });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw createInvalidError(`${file.name} holds no snippets: it is not valid TOML (line ${error.line})`);
  }
}

/** Lists the tables called `snippets`, in small or capital letters. */
const listSnippetTables = (root: object): readonly unknown[] => toArrayOrEmpty(copyWithLowerCaseKeys(root)['snippets']);

function copyWithLowerCaseKeys(table: unknown) {
  return Object.fromEntries(Object.entries(toObjectOrEmpty(table)).map(([key, value]) => [key.toLowerCase(), value]));
}

/**
 * `<name>`, `<name=default>`, or `<name=|_one_||_another_|>`. A name may be "mount dir e.g. /mnt/disk1". pet reads
 * more as one, such as `< in.txt 2>`.
 */
const parameterPattern = /<([\p{L}\p{N}_][\p{L}\p{M}\p{N}_ .,:;/()#&+'-]*)(?:=([^<>]*[^<>\s]))?>/gu;

/** The end of a name that is no name: a space, or the number of a stream as in `<in.txt 2>`. */
const notName = /(?: | \d|:\/\/.*)$/;

/** Replaces parameters by placeholders. If a name has several defaults, the last one counts, as in pet. */
function replaceParametersByPlaceholders(command: string): string {
  const presets = new Map<string, string>();
  for (const [, name = '', preset] of command.matchAll(parameterPattern))
    if (preset !== undefined) presets.set(name, preset);
  return replaceBlanksByPlaceholders(command, parameterPattern, ([, name = '']) =>
    notName.test(name)
      ? undefined
      : { name: toPlaceholderNameOrEmpty(name), choices: toChoicesOrEmpty(presets.get(name)) },
  );
}

function toChoicesOrEmpty(preset: string | undefined): readonly string[] {
  if (preset === undefined) return [];
  const several = /^\|_(.*)_\|$/s.exec(preset)?.[1];
  return several === undefined ? [preset] : several.split('_||_');
}

/**
 * Lists as comments what the title and the command do not have: tags, the output, and a description too long for a
 * title.
 */
function createSnippetComments({ description, tags, output }: Snippet, isInTitle: boolean): readonly string[] {
  const named = tags.filter((tag) => tag.trim() !== '').join(', ');
  return [
    ...(isInTitle ? [] : [description]),
    ...(named === '' ? [] : [named]),
    ...(output.trim() === '' ? [] : [`Output:\n${output}`]),
  ];
}
