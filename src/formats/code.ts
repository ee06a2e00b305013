/** Reads code and other text files, one note per file; Markdown files as Markdown. */
import { extname } from 'node:path';
import { textInUtf8 } from '../core/tools/utf8.ts';
import { withoutMark } from './json.ts';
import { isHidden, isMarkdown, markdown } from './markdown.ts';
import { categoryOfFile, isCodeFile, isTextFile, titleOfFile } from './named-file.ts';
import {
  createBadRecord,
  createRecord,
  type Format,
  type ReadRecord,
  readEach,
  readFileBytes,
  type Source,
  type SourceFile,
} from './record.ts';
import { notUnicode } from './text-encoding.ts';

export const code: Format = {
  name: 'code',
  description: 'a file of code, or a folder of them: each text becomes a note, titled by its file name',
  isByFile: true,
  recognizes: ({ name, files }) => {
    const shown = files.length === 0 ? [name] : files.filter((path) => !isHidden(path));
    return shown.length > 0 && shown.every((path) => isCodeFile(path) || isTextFile(path) || isMarkdown(path));
  },
  async *read(source) {
    const texts = { ...source, files: source.files.filter((path) => !isHidden(path) && !isMarkdown(path)) };
    const pages = { ...source, files: source.files.filter(isMarkdown) };
    if (pages.files.length > 0) yield* markdown.read(pages);
    if (texts.files.length > 0 || source.files.length === 0)
      yield* readEach(texts, /(?:)/, (file) => readText(file, source));
  },
};

async function* readText(file: SourceFile, source: Source): AsyncGenerator<ReadRecord, void, void> {
  const { name, modifiedAt } = file;
  const bytes = await readFileBytes(file);
  const text = textInUtf8(bytes);
  if (text === undefined && !bytes.includes(0) && (isCodeFile(name) || isTextFile(name)))
    return yield createBadRecord(name, notUnicode);
  if (text === undefined || text.includes('\0')) {
    const reason = `It is not UTF-8 text (${extname(name) || 'no ending'})`;
    return yield { kind: 'left out', location: name, reason, unread: [name] };
  }
  const path = source.files.length === 0 ? undefined : name;
  yield createRecord(name, {
    title: titleOfFile(name),
    content: withoutMark(text),
    category: source.category ?? categoryOfFile(name) ?? 'notes',
    color: 'neutral',
    createdAt: path && (await source.readTimes?.(path))?.createdAt.toISOString(),
    updatedAt: modifiedAt.toISOString(),
    otherwise: modifiedAt,
    origin: source.findOrigin?.(path),
    isFile: true,
  });
}
