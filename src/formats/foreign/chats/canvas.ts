import { type Fields, parsed } from '../../../core/tools/json.ts';
import { fieldsOf, firstText, listOf, textOf } from '../fields.ts';
import { fenced, joined } from '../transcript.ts';

/**
 * A text that ChatGPT wrote in its canvas: new (`{name, type, content}`), changed (`{updates: [{pattern,
 * replacement}]}`) or commented on (`{comments: [{pattern, comment}]}`), as JSON for the tool `recipient`. `next` is the
 * answer of the tool, which tells title and type. Empty or undefined for other tools and other JSON. Exports hold changes without
 * their last brackets: github.com/jamesmoore/chatgpt-export, ChatGPTExport/Formatters/Markdown/MarkdownContentVisitor.cs.
 */
export function canvasText(recipient: string, json: string, next: Fields | undefined): string | undefined {
  if (!recipient.startsWith('canmore.')) return undefined;
  const call = fieldsOf(parsed(json) ?? parsed(`${json}]}`));
  const canvas = fieldsOf(fieldsOf(next?.['metadata'])['canvas']);
  const type = firstText(call['type'], canvas['textdoc_type']);
  const shown = (value: unknown) => {
    const text = textOf(value);
    return text !== '' && type.startsWith('code/') ? fenced(text, type.slice('code/'.length)) : text;
  };
  const updates = listOf(call['updates']).map(fieldsOf);
  const comments = listOf(call['comments']).map(fieldsOf);
  const texts = [
    shown(call['content']),
    ...updates.map(({ pattern, replacement }) => joined([placeOf(pattern), shown(replacement)])),
    ...comments.map(({ pattern, comment }) => joined([placeOf(pattern), textOf(comment)])),
  ];
  const text = joined(texts);
  return text && joined([`*Canvas: ${firstText(call['name'], canvas['title'], 'untitled')}*`, text]);
}

/** Where a change or comment belongs, a regular expression; empty for the whole text. */
const placeOf = (pattern: unknown) =>
  /^(\.\*|\^?\[\\s\\S\]\*\$?|)$/.test(textOf(pattern)) ? '' : `*At:*\n\n${fenced(textOf(pattern))}`;
