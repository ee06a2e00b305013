/**
 * Memos (usememos.com) has no export. Reads responses of its API (`GET /api/v1/memos`: a page, an array of pages, or a
 * memo), based on github.com/usememos/memos, proto/api/v1/memo_service.proto; those before 0.22 (`rowStatus`,
 * `createdTs` in seconds), based on web/src/types/modules/memo.d.ts and github.com/EINDEX/logseq-memos-sync,
 * src/memos/type.ts; and its table as printed by `sqlite3 -json`.
 */
import { createInvalidError } from '../../../core/error.ts';
import type { Fields } from '../../../core/json/json.ts';
import type { NoteFormat } from '../../note-format.ts';
import { tryCreateOriginKey } from '../../origin.ts';
import {
  createBadRecord,
  createRecordFromForeignNote,
  deriveStorableTitleOrEmpty,
  type ReadRecord,
} from '../../record.ts';
import { readFileText, type SourceFile, streamRecordsOfMatchingFiles } from '../../source.ts';
import {
  getFirstNonBlankOrEmpty,
  toArrayOrEmpty,
  toObjectOrEmpty,
  toTextOrEmpty,
  tryConvertToIsoTime,
  tryParseBoundedJson,
} from '../../untyped-values.ts';
import { joinNonBlankParagraphs } from '../chats/transcript.ts';

export const memosFormat: NoteFormat = {
  name: 'memos',
  description: 'memos of Memos, as its API lists them (GET /api/v1/memos?pageSize=1000)',
  recognizes: (_, head) =>
    emptyPage.test(head) ||
    (/^\ufeff?\s*[[{]/.test(head) &&
      /"content"\s*:/.test(head) &&
      (/"name"\s*:\s*"memos\//.test(head) ||
        (/"(rowStatus|row_status)"\s*:/.test(head) && /"created(Ts|_ts)"\s*:/.test(head)))),
  streamRecords: (source) => streamRecordsOfMatchingFiles(source, /\.json$/, streamMemoFileRecords),
};

const emptyPage = /^\ufeff?\s*(\[\s*)?\{\s*"memos"\s*:\s*\[\s*\]/;

async function* streamMemoFileRecords(file: SourceFile): AsyncGenerator<ReadRecord, void, void> {
  const value = tryParseBoundedJson(await readFileText(file));
  if (typeof value !== 'object')
    throw createInvalidError(`${file.name} holds no memos: it is neither a JSON array nor an object`);
  const pages = Array.isArray(value) ? value : [value];
  for (const [index, memo] of pages.flatMap(listMemosOfPageOrItself).entries()) {
    yield createMemoRecord(`memo ${index + 1} of ${file.name}`, toObjectOrEmpty(memo), file.modifiedAt);
  }
  const pageToken = toTextOrEmpty(toObjectOrEmpty(pages.at(-1))['nextPageToken']);
  if (pageToken !== '') yield createBadRecord(file.name, `${morePagesAdvice} &${new URLSearchParams({ pageToken })}`);
}

const morePagesAdvice = 'There are more memos: import the next page, too, from the same address with';

/** Lists the memos of a page (`{memos}`, before 2023 `{data}`), or the memo itself. */
function listMemosOfPageOrItself(value: unknown): readonly unknown[] {
  const { memos, data } = toObjectOrEmpty(value);
  const page = memos ?? data ?? value;
  return Array.isArray(page) ? page : [page];
}

function createMemoRecord(location: string, memo: Fields, otherwise: Date): ReadRecord {
  const content = toTextOrEmpty(memo['content']);
  const files = [
    ...toArrayOrEmpty(memo['attachments']),
    ...toArrayOrEmpty(memo['resources']),
    ...toArrayOrEmpty(memo['resourceList']),
  ];
  const attachments = files.map((file) => formatMemoAttachmentOrEmpty(toObjectOrEmpty(file))).filter(Boolean);
  if (typeof memo['content'] !== 'string' && attachments.length === 0) {
    return createBadRecord(location, 'Its field "content" must be a text');
  }
  return createRecordFromForeignNote(location, {
    title: deriveStorableTitleOrEmpty(content),
    content: joinNonBlankParagraphs([content, ...attachments]),
    category: 'notes',
    color: 'neutral',
    archived: getFirstNonBlankOrEmpty(memo['state'], memo['rowStatus'], memo['row_status']) === 'ARCHIVED',
    createdAt: memo['createTime'] ?? memo['createdTs'] ?? memo['created_ts'],
    updatedAt: memo['updateTime'] ?? memo['updatedTs'] ?? memo['updated_ts'],
    otherwise,
    origin: tryCreateOriginKey('memos', createMemoKeyOrEmpty(memo)),
  });
}

function formatMemoAttachmentOrEmpty({ filename, externalLink }: Fields): string {
  const [name, link] = [getFirstNonBlankOrEmpty(filename, externalLink), getFirstNonBlankOrEmpty(externalLink)];
  if (name === '') return '';
  return link === '' || link === name ? `[Attachment: ${name}]` : `[Attachment: ${name}](${link})`;
}

const formatMemoIdOrEmpty = ({ id }: Fields) => (typeof id === 'number' ? String(id) : toTextOrEmpty(id));

/**
 * Creates the name of a memo in the key of its origin. Older names are numbers, which repeat on other servers: the time
 * of creation makes them unique.
 */
function createMemoKeyOrEmpty(memo: Fields): string {
  const name = getFirstNonBlankOrEmpty(memo['name'], memo['uid']).replace(/^memos\//, '') || formatMemoIdOrEmpty(memo);
  const created = memo['createTime'] ?? memo['createdTs'] ?? memo['created_ts'];
  return name === '' ? '' : `${tryConvertToIsoTime(created) ?? ''}/${name}`;
}
