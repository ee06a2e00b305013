/**
 * Memos (usememos.com) has no export. Reads responses of its API (`GET /api/v1/memos`, one page or an array of pages),
 * based on github.com/usememos/memos, proto/api/v1/memo_service.proto; those before 0.22 (`rowStatus`, `createdTs` in
 * seconds), based on web/src/types/modules/memo.d.ts; and its table as printed by `sqlite3 -json`.
 */
import { invalid } from '../../domain/error.ts';
import type { Fields } from '../../shared/json.ts';
import { originKey } from '../origin.ts';
import { bad, type Format, type ReadRecord } from '../record.ts';
import { fieldsOf, firstText, listOf, textOf, timeOf, valueIn } from './fields.ts';
import { readEach, type SourceFile, wholeText } from './files.ts';
import { recordOf, titleIn } from './note-record.ts';
import { joined } from './transcript.ts';

export const memos: Format = {
  name: 'memos',
  description: 'memos of Memos, as its API lists them (GET /api/v1/memos?pageSize=1000)',
  recognizes: (_, head) =>
    /^\ufeff?\s*[[{]/.test(head) &&
    /"content"\s*:/.test(head) &&
    (/"name"\s*:\s*"memos\//.test(head) ||
      (/"(rowStatus|row_status)"\s*:/.test(head) && /"created(Ts|_ts)"\s*:/.test(head))),
  read: (source) => readEach(source, /\.json$/, readMemos),
};

async function* readMemos(file: SourceFile): AsyncGenerator<ReadRecord, void, void> {
  const found = memosIn(valueIn(await wholeText(file)));
  if (found === undefined) throw invalid(`${file.name} holds no memos: no JSON array, and no "memos"`);
  for (const [index, memo] of found.entries()) {
    yield memoRecord(`memo ${index + 1} of ${file.name}`, fieldsOf(memo), file.modifiedAt);
  }
}

/** Finds memos in an array, in a page (`{memos}`, before 2023 `{data}`), or in an array of pages. */
function memosIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value.flatMap((element) => pageIn(element) ?? [element]);
  return pageIn(value);
}

function pageIn(value: unknown): readonly unknown[] | undefined {
  const { memos, data } = fieldsOf(value);
  const page = memos ?? data;
  return Array.isArray(page) ? page : undefined;
}

function memoRecord(location: string, memo: Fields, otherwise: Date): ReadRecord {
  const content = textOf(memo['content']);
  const files = [...listOf(memo['attachments']), ...listOf(memo['resources']), ...listOf(memo['resourceList'])];
  const names = files.map((file) => textOf(fieldsOf(file)['filename'])).filter(Boolean);
  if (typeof memo['content'] !== 'string') return bad(location, 'Its field "content" must be a text');
  return recordOf(location, {
    title: titleIn(content),
    content: joined([content, ...names.map((name) => `[Attachment: ${name}]`)]),
    category: 'notes',
    color: 'neutral',
    archived: firstText(memo['state'], memo['rowStatus'], memo['row_status']) === 'ARCHIVED',
    createdAt: memo['createTime'] ?? memo['createdTs'] ?? memo['created_ts'],
    updatedAt: memo['updateTime'] ?? memo['updatedTs'] ?? memo['updated_ts'],
    otherwise,
    origin: originKey('memos', nameOf(memo)),
  });
}

const idOf = ({ id }: Fields) => (typeof id === 'number' ? String(id) : textOf(id));

/** Older names are numbers, which repeat on other servers: the time of creation makes them unique. */
function nameOf(memo: Fields): string {
  const name = firstText(memo['name'], memo['uid']).replace(/^memos\//, '') || idOf(memo);
  const created = memo['createTime'] ?? memo['createdTs'] ?? memo['created_ts'];
  return name === '' ? '' : `${timeOf(created) ?? ''}/${name}`;
}
