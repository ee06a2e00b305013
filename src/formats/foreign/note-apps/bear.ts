/**
 * Notes of Bear: a backup (`.bear2bk`, an archive) or an export as TextBundle, of which each is a folder with the text,
 * `info.json` and `assets/`. Bundles of other programs are read, too: they are titled by their names.
 *
 * | in Bear | in the note |
 * |---|---|
 * | first line, without heading marks | the title |
 * | text with its `#tags`, links | the text, as written |
 * | times, id | the times, the origin |
 * | archive, trash | archived |
 * | encrypted notes, attachments | left out, and counted |
 * | pins, order of tags | left out |
 *
 * Seen in github.com/obsidianmd/obsidian-importer, `tests/bear/`, and textbundle.org/spec.
 */
import { isHiddenPath } from '../../markdown-format.ts';
import type { NoteFormat } from '../../note-format.ts';
import { tryCreateOriginKey } from '../../origin.ts';
import {
  createBadRecord,
  createRecordFromForeignNote,
  deriveStorableTitleOrEmpty,
  type ReadRecord,
} from '../../record.ts';
import { readSourceFileText, type Source } from '../../source.ts';
import { getFirstNonBlankOrEmpty, toObjectOrEmpty, tryParseBoundedJson } from '../../untyped-values.ts';

export const bearFormat: NoteFormat = {
  name: 'bear',
  description: 'notes of Bear: a backup (.bear2bk), or bundles (.textbundle)',
  recognizes: ({ files }) =>
    listBundlePaths(files).some(({ folder }) => folder === '' || /\.textbundle\/$/i.test(folder)),
  async *streamRecords(source) {
    const bundles = listBundlePaths(source.files);
    for (const bundle of bundles) yield await readBundleAsRecord(source, bundle);
    const own = new Set(bundles.flatMap(({ info, text }) => [info, text]));
    for (const path of source.files) {
      const isLeftOut = !own.has(path) && !isHiddenPath(path) && !/(^|\/)(tags|backup)\.json$/.test(path);
      if (isLeftOut) yield { kind: 'left out', location: path, reason: 'Attachments are left out' };
    }
  },
};

/** The paths of a bundle. `folder` ends with `/`, and is empty if the bundle is the source itself. */
interface Bundle {
  readonly folder: string;
  readonly info: string;
  readonly text: string;
}

function listBundlePaths(files: readonly string[]): readonly Bundle[] {
  const infos = new Set(files.filter((path) => /(^|\/)info\.json$/.test(path)));
  return files.flatMap((text) => {
    const folder = /^(.*\/)?text\.(?:md|markdown|txt)$/i.exec(text);
    if (folder === null) return [];
    const [, path = ''] = folder;
    return infos.has(`${path}info.json`) ? [{ folder: path, info: `${path}info.json`, text }] : [];
  });
}

async function readBundleAsRecord(source: Source, { folder, info, text }: Bundle): Promise<ReadRecord> {
  const location = folder.slice(0, -1) || source.name;
  const fields = tryParseBoundedJson(await readSourceFileText(source, info));
  if (fields === undefined) return createBadRecord(location, 'Its info.json must be valid JSON');
  const ofBear = toObjectOrEmpty(fields)['net.shinyfrog.bear'];
  const { archived, trashed, encrypted, creationDate, modificationDate, uniqueIdentifier } = toObjectOrEmpty(ofBear);
  if (encrypted === 1)
    return { kind: 'left out', location, reason: 'It is encrypted: unlock it in Bear, then export again' };
  const content = await readSourceFileText(source, text);
  return createRecordFromForeignNote(location, {
    title: ofBear === undefined ? stripFolderAndBundleEnding(location) : deriveTitleBelowEmptyHeadings(content),
    content,
    category: 'notes',
    color: 'neutral',
    archived: archived === 1 || trashed === 1,
    createdAt: creationDate,
    updatedAt: modificationDate,
    otherwise: source.modifiedAt,
    origin: tryCreateOriginKey('bear', getFirstNonBlankOrEmpty(uniqueIdentifier)),
  });
}

const stripFolderAndBundleEnding = (path: string): string =>
  path.replace(/^.*[\\/]/s, '').replace(/\.(textbundle|textpack)$/i, '');

/** Derives the title of a note that may begin with headings without words. Example: of "#\n## Milk" it is "Milk". */
const deriveTitleBelowEmptyHeadings = (text: string): string =>
  deriveStorableTitleOrEmpty(text.replace(/^(?:\s*#{1,6}[ \t]*(?:\r?\n|$))+/, ''));
