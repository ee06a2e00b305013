import { basename } from 'node:path/posix';
import { parse } from 'yaml';
import type { Fields } from '../../../shared/json.ts';
import { isCostly } from '../../yaml-cost.ts';
import { fieldsOf, firstText } from '../fields.ts';

/** A snippet of a vault as db.json has it, with its fragments as `content`. A note of the vault has one, in Markdown. */
export function snippetInVault(path: string, bytes: Uint8Array): Fields {
  const text = new TextDecoder().decode(bytes);
  const [, frontMatter = '', body = text] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/.exec(text) ?? [];
  const fields = frontMatterIn(frontMatter);
  const fragments = Array.isArray(fields['contents']) ? fragmentsIn(body) : [];
  const content = fragments.length > 0 || body.trim() === '' ? fragments : [{ language: 'markdown', value: body }];
  return { ...fields, name: firstText(fields['name'], basename(path).replace(/\.md$/i, '')), content };
}

function frontMatterIn(text: string): Fields {
  try {
    return isCostly(text) ? {} : fieldsOf(parse(text));
  } catch {
    return {}; // the text below it is kept all the same
  }
}

/** `## Fragment: <label>`, and below it a fenced block with the language and the text. */
function fragmentsIn(body: string): readonly Fields[] {
  const fragments: Fields[] = [];
  const lines = body.split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const label = /^## Fragment:(.*)$/.exec(lines[at] ?? '')?.[1]?.trim();
    const [, fence, language] = /^(`{3,})(.*)$/.exec(lines[at + 1] ?? '') ?? [];
    if (label === undefined || fence === undefined) continue;
    let end = at + 2;
    while (end < lines.length && lines[end]?.trim() !== fence) end++;
    fragments.push({ label, language: language?.trim(), value: lines.slice(at + 2, end).join('\n') });
    at = end;
  }
  return fragments;
}
