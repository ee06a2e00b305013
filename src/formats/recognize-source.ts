import { code } from './code.ts';
import { describeFile } from './describe-file.ts';
import { cursorChats } from './foreign/cursor.ts';
import { espanso } from './foreign/espanso.ts';
import { navi } from './foreign/navi.ts';
import { notion } from './foreign/notion.ts';
import { pet } from './foreign/pet.ts';
import { formats } from './formats.ts';
import { type KnownProgram, knownPrograms } from './known-programs.ts';
import { isHidden, isMarkdown, markdown } from './markdown.ts';
import { createMixedFormat } from './mixed-folder.ts';
import { isCodeFile, isTextFile } from './named-file.ts';
import type { Recognition } from './recognition.ts';
import type { Format, Source } from './record.ts';

/**
 * Finds out what a source is, by its file names and `head`, its first 64 KiB as text: empty for a folder. A folder that
 * is no export as such is read file by file, so that only a file can be unknown.
 */
export const recognizeSource = (source: Source, head: string): Recognition =>
  source.files.length === 0 ? recognizeFile(source, head) : recognizeFolder(source);

/**
 * A file with an ending of these is what that says, as a text may quote anything. Snippets in YAML, TOML and Markdown
 * would be a text, or nothing, by their ending.
 */
const byEnding: readonly Format[] = [espanso, pet, navi, cursorChats, notion, markdown];

/** All other formats recognize a file by its content. Code has no content of its own. */
const byContent = formats.filter((format) => format !== code && !byEnding.includes(format));

function recognizeFile(source: Source, head: string): Recognition {
  const readAs = (format: Format) => ({ kind: 'format', format, source }) as const;
  const named = byEnding.find((format) => format.recognizes(source, head));
  if (named !== undefined) return readAs(named);
  if (isCodeFile(source.name)) return readAs(code);
  const found = byContent.find((format) => format.recognizes(source, head));
  if (found !== undefined) return readAs(found);
  const known = knownPrograms.find(({ isFile }) => isFile?.(source.name, head));
  if (known !== undefined) return toRecognition(known);
  if (isTextFile(source.name) || isScript(head)) return readAs(code);
  return { kind: 'unknown', description: describeFile(source.name, head) };
}

const toRecognition = ({ program, advice }: KnownProgram) => ({ kind: 'known program', program, advice }) as const;

/** Whether a text names the program that runs it, as scripts without an ending do. */
const isScript = (head: string) => /^\ufeff?#! ?\//.test(head);

const mixed = createMixedFormat(recognizeFile);

/** A folder that was compressed has an extra folder at the top, and is recognized like the one in it. */
function recognizeFolder(source: Source): Recognition {
  for (let folder: Source | undefined = source; folder !== undefined; folder = openOnlyFolder(folder)) {
    const here = folder;
    const format = formats.find((one) => one.recognizes(here, ''));
    if (format?.isBesideOthers && hasTexts(here)) break;
    if (format !== undefined) return { kind: 'format', format, source: here };
  }
  const known = knownPrograms.find(({ isFolder }) => isFolder?.(source.files));
  return known === undefined
    ? { kind: 'format', format: mixed, source: openHiddenFolders(source) }
    : toRecognition(known);
}

/** In an archive of a hidden folder, all files would be hidden. */
function openHiddenFolders(source: Source): Source {
  const isHiddenTop = isHidden(source.files[0]?.split('/')[0] ?? '');
  const only = isHiddenTop ? openOnlyFolder(source) : undefined;
  return only === undefined ? source : openHiddenFolders(only);
}

/** Whether a folder has texts at its top. Programs that store chats have none there. */
const hasTexts = ({ files }: Source) =>
  files.some((path) => !path.includes('/') && (isMarkdown(path) || isCodeFile(path) || isTextFile(path)));

/** The folder that holds all files of a source; undefined if there is none. */
export function openOnlyFolder(source: Source): Source | undefined {
  const top = /^[^/]+\//.exec(source.files[0] ?? '')?.[0];
  if (top === undefined || !source.files.every((path) => path.startsWith(top))) return undefined;
  const { readTimes, findOrigin } = source;
  const below = (path?: string) => (path === undefined ? undefined : top + path);
  return {
    ...source,
    files: source.files.map((path) => path.slice(top.length)),
    chunks: (path) => source.chunks(below(path)),
    ...(readTimes && { readTimes: (path: string) => readTimes(top + path) }),
    ...(findOrigin && { findOrigin: (path?: string) => findOrigin(below(path)) }),
  };
}
