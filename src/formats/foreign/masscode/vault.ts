import { basename } from 'node:path/posix';
import { parse } from 'yaml';
import type { Fields } from '../../../shared/json.ts';
import { isCostly } from '../../yaml-cost.ts';
import { fieldsOf, firstText } from '../fields.ts';

/** Reads a snippet of a vault in the shape of db.json, with its fragments as `content`; a note is one in Markdown. */
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
    return {}; // keeps the text below
  }
}

/** Fragments: `## Fragment: <label>`, then a fenced block with language and text. */
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
