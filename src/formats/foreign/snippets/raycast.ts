/**
 * Snippets of Raycast from its command Export Snippets: an array of `{name, text, keyword}`. Based on
 * github.com/raycast/ray-so, app/(navigation)/snippets, whose downloads Raycast imports.
 */
import { invalid } from '../../../domain/error.ts';
import { originKey } from '../../origin.ts';
import type { Format, ReadRecord } from '../../record.ts';
import { fieldsOf, textOf, valueIn } from '../fields.ts';
import { readEach, type SourceFile, wholeText } from '../files.ts';
import { recordOf } from '../note-record.ts';
import { titleOfSnippet } from './vscode-snippets.ts';

export const raycast: Format = {
  name: 'raycast',
  description: 'snippets of Raycast, as its command Export Snippets writes them',
  recognizes: ({ files }, head) =>
    files.length === 0 &&
    /^\ufeff?\s*\[\s*\{[^{}]*"text"\s*:/.test(head) &&
    /^\ufeff?\s*\[\s*\{[^{}]*"name"\s*:/.test(head),
  read: (source) => readEach(source, /\.json$/, readSnippets),
};

async function* readSnippets(file: SourceFile): AsyncGenerator<ReadRecord, void, void> {
  const found = valueIn(await wholeText(file));
  if (!Array.isArray(found)) throw invalid(`${file.name} holds no snippets: it is not a JSON array`);
  const seen = new Map<string, number>();
  for (const [index, element] of found.entries()) {
    const { name, text, keyword } = fieldsOf(element);
    const times = (seen.get(textOf(name)) ?? 0) + 1;
    seen.set(textOf(name), times);
    yield recordOf(`snippet ${index + 1} of ${file.name}`, {
      title: titleOfSnippet(textOf(name), [textOf(keyword)]),
      content: textOf(text),
      category: 'notes',
      color: 'neutral',
      otherwise: file.modifiedAt,
      origin: originKey('raycast', times === 1 ? textOf(name) : `${textOf(name)}/${times}`),
    });
  }
}
