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
import { isHiddenPath } from '../markdown-format.ts';
import type { NoteFormat } from '../note-format.ts';
import { tryCreateOriginKey } from '../origin.ts';
import { createBadRecord, createForeignRecord, findTitleLine, type ReadRecord } from '../record.ts';
import { readSourceText, type Source } from '../source.ts';
import { findFirstText, toObject, tryParseBoundedJson } from '../untyped-values.ts';

export const bearFormat: NoteFormat = {
  name: 'bear',
  description: 'notes of Bear: a backup (.bear2bk), or bundles (.textbundle)',
  recognizes: ({ files }) => findBundles(files).some(({ folder }) => folder === '' || /\.textbundle\/$/i.test(folder)),
  async *read(source) {
    const bundles = findBundles(source.files);
    for (const bundle of bundles) yield await readBundleRecord(source, bundle);
    const own = new Set(bundles.flatMap(({ info, text }) => [info, text]));
    for (const path of source.files) {
      const isLeftOut = !own.has(path) && !isHiddenPath(path) && !/(^|\/)(tags|backup)\.json$/.test(path);
      if (isLeftOut) yield { kind: 'left out', location: path, reason: 'Attachments are left out' };
    }
  },
};

/** The paths of a bundle; `folder` ends with `/`, unless it is the source. */
interface Bundle {
  readonly folder: string;
  readonly info: string;
  readonly text: string;
}

function findBundles(files: readonly string[]): readonly Bundle[] {
  const infos = new Set(files.filter((path) => /(^|\/)info\.json$/.test(path)));
  return files.flatMap((text) => {
    const folder = /^(.*\/)?text\.(?:md|markdown|txt)$/i.exec(text);
    if (folder === null) return [];
    const [, path = ''] = folder;
    return infos.has(`${path}info.json`) ? [{ folder: path, info: `${path}info.json`, text }] : [];
  });
}

async function readBundleRecord(source: Source, { folder, info, text }: Bundle): Promise<ReadRecord> {
  const location = folder.slice(0, -1) || source.name;
  const fields = tryParseBoundedJson(await readSourceText(source, info));
  if (fields === undefined) return createBadRecord(location, 'Its info.json must be valid JSON');
  const ofBear = toObject(fields)['net.shinyfrog.bear'];
  const { archived, trashed, encrypted, creationDate, modificationDate, uniqueIdentifier } = toObject(ofBear);
  if (encrypted === 1)
    return { kind: 'left out', location, reason: 'It is encrypted: unlock it in Bear, then export again' };
  const content = await readSourceText(source, text);
  return createForeignRecord(location, {
    title: ofBear === undefined ? stripBundleEnding(location) : findFirstLineWithWords(content),
    content,
    category: 'notes',
    color: 'neutral',
    archived: archived === 1 || trashed === 1,
    createdAt: creationDate,
    updatedAt: modificationDate,
    otherwise: source.modifiedAt,
    origin: tryCreateOriginKey('bear', findFirstText(uniqueIdentifier)),
  });
}

const stripBundleEnding = (path: string): string =>
  path.replace(/^.*[\\/]/s, '').replace(/\.(textbundle|textpack)$/i, '');

/** A note may begin with a heading without words. */
const findFirstLineWithWords = (text: string): string =>
  findTitleLine(text.replace(/^(?:\s*#{1,6}[ \t]*(?:\r?\n|$))+/, ''));
