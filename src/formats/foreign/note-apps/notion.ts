/**
 * Pages of Notion, exported as "Markdown & CSV": a file per page, `Name 0123456789abcdef0123456789abcdef.md`, in
 * folders named after the pages above. The name is cut and lacks some characters, so the title is the first line, `#
 * Title`. Lines such as `Status: Done` follow for a page of a database; the database itself is a `.csv` file.
 *
 * | in Notion | in the note |
 * |---|---|
 * | title | the title, and the first line of the text as exported |
 * | properties, text, links to pages and files | the text, as exported |
 * | id of the page, in the name of its file | the origin |
 * | databases (`.csv`), attachments, folders | left out; the first two are counted |
 *
 * Seen in github.com/obsidianmd/obsidian-importer, `tests/notion/`.
 */
import { isHiddenPath, isVisibleMarkdownFile, type MarkdownRules, readMarkdownRecord } from '../../markdown-format.ts';
import type { NoteFormat } from '../../note-format.ts';
import { tryCreateOriginKey } from '../../origin.ts';
import type { ReadRecord } from '../../record.ts';

export const notionFormat: NoteFormat = {
  name: 'notion',
  description: 'pages of Notion, exported as Markdown & CSV',
  isKnownByEnding: true,
  readsEachFile: true,
  recognizes: ({ name, files }) =>
    files.length === 0
      ? pageName.test(name)
      : files.some(isVisibleMarkdownFile) && files.filter(isVisibleMarkdownFile).every((path) => pageName.test(path)),
  async *streamRecords(source) {
    if (source.files.length === 0)
      yield await readMarkdownRecord(source, undefined, createTitleAndOriginRules(source.name));
    for (const path of source.files) {
      if (isVisibleMarkdownFile(path)) yield await readMarkdownRecord(source, path, createTitleAndOriginRules(path));
      else if (!isHiddenPath(path)) yield createLeftOutRecordOfFile(path);
    }
  },
};

/** The name of a page's file, and its id. A page without a title has nothing but its id. */
const pageName = /(?:^|[\\/])(?:([^\\/]*) )?([\da-f]{32})\.md$/i;

function createTitleAndOriginRules(path: string): MarkdownRules {
  const [, name = '', id = ''] = pageName.exec(path) ?? [];
  const origin = tryCreateOriginKey('notion', id.toLowerCase());
  return {
    getTitle: (text) => /^# +(\S.*)/.exec(text)?.[1]?.trim() || name || 'Untitled',
    ...(origin !== undefined && { origin }),
  };
}

const createLeftOutRecordOfFile = (location: string): ReadRecord => ({
  kind: 'left out',
  location,
  reason: /\.csv$/i.test(location)
    ? 'It is a table of a database, which is left out: its pages are notes'
    : 'Other files, such as attachments, are left out',
});
