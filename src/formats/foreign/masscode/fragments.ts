import type { Fields } from '../../../core/tools/json.ts';
import { textOf } from '../fields.ts';

interface Opening {
  readonly at: number;
  readonly label: string;
  readonly fence: string;
  readonly language: string;
}

/**
 * Splits the body of a vault's snippet into its fragments and other text, which users add by hand. A fragment is a
 * heading `## Fragment: <label>` and a fenced block. Before May 2026 the fence was always of three backticks, so the
 * text may contain closing fences: the last one before the next fragment counts. A heading begins the next fragment if
 * the front matter declares it in `contents`, or if nothing but blank lines separates it from a closing fence.
 */
export function fragmentsIn(body: string, contents: readonly Fields[]) {
  const lines = body.split(/\r?\n/);
  const declared = declaredIn(contents);
  const fragments: Fields[] = [];
  const others: string[] = [];
  let open: Opening | undefined;
  let [end, lastText] = [-1, -1];
  const close = (before: number) => {
    const from = open === undefined ? 0 : end < 0 ? before : end + 1;
    others.push(lines.slice(from, before).join('\n').trim());
    if (open === undefined) return;
    const language = declared.get(keyOf(open)) ?? open.language;
    fragments.push({ label: open.label, language, value: lines.slice(open.at + 2, end < 0 ? before : end).join('\n') });
  };
  for (const [at, line] of lines.entries()) {
    const next = openingAt(lines, at);
    if (next !== undefined && (open === undefined || (end >= 0 && (end === lastText || declared.has(keyOf(next)))))) {
      close(at);
      [open, end] = [next, -1];
    } else if (open !== undefined && at > open.at + 1 && line.trim() === open.fence) end = at;
    if (line.trim() !== '') lastText = at;
  }
  close(lines.length);
  return { fragments, others: others.filter((text) => text !== '').join('\n\n') };
}

function openingAt(lines: readonly string[], at: number): Opening | undefined {
  const label = /^## Fragment:(.*)$/.exec(lines[at] ?? '')?.[1]?.trim();
  const [, fence, language = ''] = /^(`{3,})(.*)$/.exec(lines[at + 1] ?? '') ?? [];
  return label === undefined || fence === undefined ? undefined : { at, label, fence, language: language.trim() };
}

const keyOf = ({ label, language }: Pick<Opening, 'label' | 'language'>) => `${label}\n${language}`;

/** The languages of the declared fragments by label and language; other programs write fences without language. */
function declaredIn(contents: readonly Fields[]): ReadonlyMap<string, string> {
  const languages = new Map<string, string>();
  for (const content of contents) {
    const [label, language] = [textOf(content['label']).replace(/\r?\n/g, ' ').trim(), textOf(content['language'])];
    for (const written of [language, '']) languages.set(keyOf({ label, language: written }), language);
  }
  return languages;
}
