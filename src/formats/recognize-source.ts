import { codeFormat } from './code-format.ts';
import { describeFile } from './describe-file.ts';
import { isCodeFileName, isNonMarkdownTextFileName } from './file-names.ts';
import { formats } from './formats.ts';
import { type KnownProgram, knownPrograms } from './known-programs.ts';
import { isHiddenPath, isVisibleMarkdownFile } from './markdown-format.ts';
import { createMixedFolderFormat } from './mixed-folder.ts';
import type { NoteFormat } from './note-format.ts';
import type { Recognition } from './recognition.ts';
import type { Source } from './source.ts';

/**
 * Finds out what a source is, by its file names and `head`, its first 64 KiB as text: empty for a folder. A folder that
 * is no export as such is read file by file, so that only a file can be unknown.
 */
export const recognizeSource = (source: Source, head: string): Recognition =>
  source.files.length === 0 ? recognizeFileByHead(source, head) : recognizeFolderByPaths(source);

const byEnding = formats.filter((format) => format.isKnownByEnding);

/** Formats that recognize a file by its content. Code has no content of its own. */
const byContent = formats.filter((format) => format !== codeFormat && !format.isKnownByEnding);

function recognizeFileByHead(source: Source, head: string): Recognition {
  const recognizeAs = (format: NoteFormat) => ({ kind: 'format', format, source }) as const;
  const named = byEnding.find((format) => format.recognizes(source, head));
  if (named !== undefined) return recognizeAs(named);
  if (isCodeFileName(source.name)) return recognizeAs(codeFormat);
  const found = byContent.find((format) => format.recognizes(source, head));
  if (found !== undefined) return recognizeAs(found);
  const known = knownPrograms.find(({ recognizesFile }) => recognizesFile?.(source.name, head));
  if (known !== undefined) return toKnownProgramRecognition(known);
  if (isNonMarkdownTextFileName(source.name) || beginsWithShebang(head)) return recognizeAs(codeFormat);
  return { kind: 'unknown', description: describeFile(source.name, head) };
}

const toKnownProgramRecognition = ({ program, advice }: KnownProgram) =>
  ({ kind: 'known program', program, advice }) as const;

/** Whether a text names the program that runs it, as scripts without an ending do. */
const beginsWithShebang = (head: string) => /^\ufeff?#! ?\//.test(head);

const mixed = createMixedFolderFormat(recognizeFileByHead);

/** A folder that was compressed has an extra folder at the top, and is recognized like the one in it. */
function recognizeFolderByPaths(source: Source): Recognition {
  for (let folder: Source | undefined = source; folder !== undefined; folder = findOnlyTopFolderAsSource(folder)) {
    const here = folder;
    const format = formats.find((one) => one.recognizes(here, ''));
    if (format?.toleratesOtherFiles && hasTextFilesAtTop(here)) break;
    if (format !== undefined) return { kind: 'format', format, source: here };
  }
  const known = knownPrograms.find(({ recognizesFolder }) => recognizesFolder?.(source.files));
  return known === undefined
    ? { kind: 'format', format: mixed, source: descendIntoHiddenTopFolders(source) }
    : toKnownProgramRecognition(known);
}

/** Goes down into hidden folders at the top: all files in an archive of a hidden folder would be hidden. */
function descendIntoHiddenTopFolders(source: Source): Source {
  const isHiddenTop = isHiddenPath(source.files[0]?.split('/')[0] ?? '');
  const only = isHiddenTop ? findOnlyTopFolderAsSource(source) : undefined;
  return only === undefined ? source : descendIntoHiddenTopFolders(only);
}

/** Whether a folder has texts at its top. Programs that store chats have none there. */
const hasTextFilesAtTop = ({ files }: Source) =>
  files.some(
    (path) =>
      !path.includes('/') && (isVisibleMarkdownFile(path) || isCodeFileName(path) || isNonMarkdownTextFileName(path)),
  );

/** Finds the folder at the top that holds all files of a source. Returns undefined if files are beside it. */
export function findOnlyTopFolderAsSource(source: Source): Source | undefined {
  const top = /^[^/]+\//.exec(source.files[0] ?? '')?.[0];
  if (top === undefined || !source.files.every((path) => path.startsWith(top))) return undefined;
  const { readTimes, findOriginKey } = source;
  const toPathBelowTop = (path?: string) => (path === undefined ? undefined : top + path);
  return {
    ...source,
    files: source.files.map((path) => path.slice(top.length)),
    streamChunks: (path) => source.streamChunks(toPathBelowTop(path)),
    ...(readTimes && { readTimes: (path: string) => readTimes(top + path) }),
    ...(findOriginKey && { findOriginKey: (path?: string) => findOriginKey(toPathBelowTop(path)) }),
  };
}
