/**
 * Snippets of Raycast from its command Export Snippets: an array of `{name, text, keyword}` in any order. Based on
 * github.com/raycast/ray-so, app/(navigation)/snippets, whose downloads Raycast imports, and on exports such as
 * github.com/obaranovskyi/my-configs, raycast/snippets.json.
 */
import { invalid } from '../../../core/error.ts';
import { type Fields, parsed } from '../../../core/tools/json.ts';
import { originKey } from '../../origin.ts';
import type { Format, ReadRecord } from '../../record.ts';
import { fieldsOf, textOf, valueIn } from '../fields.ts';
import { readEach, type SourceFile, wholeText } from '../files.ts';
import { recordOf } from '../note-record.ts';
import { withArguments } from './arguments.ts';
import { titleOfSnippet } from './vscode-snippets.ts';

export const raycast: Format = {
  name: 'raycast',
  description: 'snippets of Raycast, as its command Export Snippets writes them',
  recognizes: ({ files }, head) => {
    const { name, text } = files.length === 0 ? firstIn(head) : {};
    return typeof name === 'string' && typeof text === 'string';
  },
  read: (source) => readEach(source, /\.json$/, readSnippets),
};

/** The object that begins an array of JSON; empty if there is none, or if the head does not contain all of it. */
function firstIn(head: string): Fields {
  const start = /^\ufeff?\s*\[\s*(?=\{)/.exec(head)?.[0].length;
  if (start === undefined) return {};
  let depth = 0;
  for (const { 0: token, index } of head.slice(start).matchAll(/"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}[\]]/gs)) {
    if (token === '{' || token === '[') depth++;
    else if ((token === '}' || token === ']') && --depth === 0)
      return fieldsOf(parsed(head.slice(start, start + index + 1)));
  }
  return {};
}

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
      content: withArguments(textOf(text)),
      category: 'notes',
      color: 'neutral',
      otherwise: file.modifiedAt,
      origin: originKey('raycast', times === 1 ? textOf(name) : `${textOf(name)}/${times}`),
    });
  }
}
