/** Reads code and other text files, one note per file; Markdown files as Markdown. */
import { extname } from 'node:path';
import { textInUtf8 } from '../core/tools/utf8.ts';
import { withoutMark } from './json.ts';
import { isHidden, isMarkdown, markdown } from './markdown.ts';
import { categoryOfFile, titleOfFile } from './named-file.ts';
import {
  createRecord,
  type Format,
  type ReadRecord,
  readEach,
  readFileBytes,
  type Source,
  type SourceFile,
} from './record.ts';

/** Endings by which a folder is recognized; then texts with any ending are read. */
const endings =
  /\.(bat|c|cc|cjs|clj|conf|cpp|cs|dart|erl|ex|exs|go|gql|graphql|h|hpp|hs|htm|html|ini|java|jl|js|jsx|kt|lua|mjs|php|pl|ps1|py|r|rb|rs|scala|sql|svelte|swift|tf|toml|ts|tsx|vim|vue|xml|ya?ml|zig)$/i;
const isCode = (path: string) => !isHidden(path) && (endings.test(path) || categoryOfFile(path) !== undefined);

export const code: Format = {
  name: 'code',
  description: 'a file of code, or a folder of them: each text becomes a note, titled by its file name',
  isByFile: true,
  recognizes: ({ name, files }) => (files.length === 0 ? isCode(name) : files.some(isCode)),
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
  const text = textInUtf8(await readFileBytes(file));
  if (text === undefined || text.includes('\0')) {
    return yield { kind: 'left out', location: name, reason: `It is not UTF-8 text (${extname(name) || 'no ending'})` };
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
