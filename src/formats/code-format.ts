/** This format reads code and other text files, one note per file, and Markdown files as Markdown. */
import { extname } from 'node:path';
import { tryDecodeUtf8 } from '../core/text/utf8.ts';
import { findCategoryByEnding, isCodeFileName, isNonMarkdownTextFileName, stripFolderAndEnding } from './file-names.ts';
import { isHiddenPath, isVisibleMarkdownFile, markdownFormat } from './markdown-format.ts';
import type { NoteFormat } from './note-format.ts';
import { createBadRecord, createRecordFromForeignNote, type ReadRecord } from './record.ts';
import { readFileBytes, type Source, type SourceFile, streamRecordsOfMatchingFiles } from './source.ts';
import { notUnicodeReason, stripByteOrderMark } from './text-encoding.ts';

export const codeFormat: NoteFormat = {
  name: 'code',
  description: 'a file of code, or a folder of them: each text becomes a note, titled by its file name',
  readsEachFile: true,
  acceptsCategory: true,
  readsFileTimes: true,
  recognizes: ({ name, files }) => {
    const shown = files.length === 0 ? [name] : files.filter((path) => !isHiddenPath(path));
    return (
      shown.length > 0 &&
      shown.every((path) => isCodeFileName(path) || isNonMarkdownTextFileName(path) || isVisibleMarkdownFile(path))
    );
  },
  async *streamRecords(source) {
    const texts = {
      ...source,
      files: source.files.filter((path) => !isHiddenPath(path) && !isVisibleMarkdownFile(path)),
    };
    const pages = { ...source, files: source.files.filter(isVisibleMarkdownFile) };
    if (pages.files.length > 0) yield* markdownFormat.streamRecords(pages);
    if (texts.files.length > 0 || source.files.length === 0)
      yield* streamRecordsOfMatchingFiles(texts, /(?:)/, (file) => streamTextFileRecords(file, source));
  },
};

async function* streamTextFileRecords(file: SourceFile, source: Source): AsyncGenerator<ReadRecord, void, void> {
  const { name, modifiedAt } = file;
  const bytes = await readFileBytes(file);
  const text = tryDecodeUtf8(bytes);
  if (text === undefined && !bytes.includes(0) && (isCodeFileName(name) || isNonMarkdownTextFileName(name)))
    return yield createBadRecord(name, notUnicodeReason);
  if (text === undefined || text.includes('\0')) {
    const reason = `It is not UTF-8 text (${extname(name) || 'no ending'})`;
    return yield { kind: 'left out', location: name, reason, unread: [name] };
  }
  const path = source.files.length === 0 ? undefined : name;
  yield createRecordFromForeignNote(name, {
    title: stripFolderAndEnding(name),
    content: stripByteOrderMark(text),
    category: source.category ?? findCategoryByEnding(name) ?? 'notes',
    color: 'neutral',
    createdAt: path && (await source.readTimes?.(path))?.createdAt.toISOString(),
    updatedAt: modifiedAt.toISOString(),
    otherwise: modifiedAt,
    origin: source.findOriginKey?.(path),
    isFile: true,
  });
}
