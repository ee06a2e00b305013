/**
 * Memos (usememos.com) has no export. Reads responses of its API (`GET /api/v1/memos`: a page, an array of pages, or a
 * memo), based on github.com/usememos/memos, proto/api/v1/memo_service.proto; those before 0.22 (`rowStatus`,
 * `createdTs` in seconds), based on web/src/types/modules/memo.d.ts and github.com/EINDEX/logseq-memos-sync,
 * src/memos/type.ts; and its table as printed by `sqlite3 -json`.
 */
import { invalid } from '../../core/error.ts';
import type { Fields } from '../../core/json/json.ts';
import type { NoteFormat } from '../note-format.ts';
import { tryCreateOriginKey } from '../origin.ts';
import { createBadRecord, createForeignRecord, findTitleLine, type ReadRecord } from '../record.ts';
import { readEachMatchingFile, readFileText, type SourceFile } from '../source.ts';
import { findFirstText, toArray, toObject, toText, tryParseBoundedJson, tryParseTimestamp } from '../untyped-values.ts';
import { joinParagraphs } from './transcript.ts';

export const memosFormat: NoteFormat = {
  name: 'memos',
  description: 'memos of Memos, as its API lists them (GET /api/v1/memos?pageSize=1000)',
  recognizes: (_, head) =>
    emptyPage.test(head) ||
    (/^\ufeff?\s*[[{]/.test(head) &&
      /"content"\s*:/.test(head) &&
      (/"name"\s*:\s*"memos\//.test(head) ||
        (/"(rowStatus|row_status)"\s*:/.test(head) && /"created(Ts|_ts)"\s*:/.test(head)))),
  read: (source) => readEachMatchingFile(source, /\.json$/, readMemoRecords),
};

const emptyPage = /^\ufeff?\s*(\[\s*)?\{\s*"memos"\s*:\s*\[\s*\]/;

async function* readMemoRecords(file: SourceFile): AsyncGenerator<ReadRecord, void, void> {
  const value = tryParseBoundedJson(await readFileText(file));
  if (typeof value !== 'object') throw invalid(`${file.name} holds no memos: it is neither a JSON array nor an object`);
  const pages = Array.isArray(value) ? value : [value];
  for (const [index, memo] of pages.flatMap(listMemosOfPage).entries()) {
    yield createMemoRecord(`memo ${index + 1} of ${file.name}`, toObject(memo), file.modifiedAt);
  }
  const pageToken = toText(toObject(pages.at(-1))['nextPageToken']);
  if (pageToken !== '') yield createBadRecord(file.name, `${morePagesAdvice} &${new URLSearchParams({ pageToken })}`);
}

const morePagesAdvice = 'There are more memos: import the next page, too, from the same address with';

/** The memos of a page (`{memos}`, before 2023 `{data}`), or the memo itself. */
function listMemosOfPage(value: unknown): readonly unknown[] {
  const { memos, data } = toObject(value);
  const page = memos ?? data ?? value;
  return Array.isArray(page) ? page : [page];
}

function createMemoRecord(location: string, memo: Fields, otherwise: Date): ReadRecord {
  const content = toText(memo['content']);
  const files = [...toArray(memo['attachments']), ...toArray(memo['resources']), ...toArray(memo['resourceList'])];
  const attachments = files.map((file) => formatMemoAttachmentOrEmpty(toObject(file))).filter(Boolean);
  if (typeof memo['content'] !== 'string' && attachments.length === 0) {
    return createBadRecord(location, 'Its field "content" must be a text');
  }
  return createForeignRecord(location, {
    title: findTitleLine(content),
    content: joinParagraphs([content, ...attachments]),
    category: 'notes',
    color: 'neutral',
    archived: findFirstText(memo['state'], memo['rowStatus'], memo['row_status']) === 'ARCHIVED',
    createdAt: memo['createTime'] ?? memo['createdTs'] ?? memo['created_ts'],
    updatedAt: memo['updateTime'] ?? memo['updatedTs'] ?? memo['updated_ts'],
    otherwise,
    origin: tryCreateOriginKey('memos', createMemoKeyOrEmpty(memo)),
  });
}

function formatMemoAttachmentOrEmpty({ filename, externalLink }: Fields): string {
  const [name, link] = [findFirstText(filename, externalLink), findFirstText(externalLink)];
  if (name === '') return '';
  return link === '' || link === name ? `[Attachment: ${name}]` : `[Attachment: ${name}](${link})`;
}

const formatMemoId = ({ id }: Fields) => (typeof id === 'number' ? String(id) : toText(id));

/** Older names are numbers, which repeat on other servers: the time of creation makes them unique. */
function createMemoKeyOrEmpty(memo: Fields): string {
  const name = findFirstText(memo['name'], memo['uid']).replace(/^memos\//, '') || formatMemoId(memo);
  const created = memo['createTime'] ?? memo['createdTs'] ?? memo['created_ts'];
  return name === '' ? '' : `${tryParseTimestamp(created) ?? ''}/${name}`;
}
