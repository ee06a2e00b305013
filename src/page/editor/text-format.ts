import type { Note } from '../../core/note.ts';
import { type DetectedLanguage, detectCodeLanguage } from '../../core/text/detect-code.ts';
import { mayHaveTurns } from '../markdown/chat-turns.ts';
import { findCategoryLanguage, isAlwaysProse, isMarkdownCategory } from '../markdown/plain-text.ts';

/** What a text is edited as, which is what it is read as: code in a language, Markdown, or lines of plain text. */
export type TextFormat = DetectedLanguage | 'markdown' | 'plain';

/** In characters. Longer texts are read as plain text, and are not looked through while they are typed. */
const maxDetectedLength = 100 * 1024;

const codeNotes = new WeakMap<Pick<Note, 'category' | 'content'>, boolean>();

/**
 * Whether a note is read, edited and excerpted as code. Remembered per object: rows ask each time that they are drawn.
 */
export function isReadAsCode(note: Pick<Note, 'category' | 'content'>): boolean {
  const known = codeNotes.get(note);
  if (known !== undefined) return known;
  const format = detectTextFormat(note.category, note.content);
  const isCode = format !== 'markdown' && format !== 'plain';
  codeNotes.set(note, isCode);
  return isCode;
}

/**
 * Code is code in every category but prompts. A text that may be a chat is none, although `User: Hello` is also a line
 * of YAML.
 */
export function detectTextFormat(category: Note['category'], text: string): TextFormat {
  const usual = findCategoryLanguage(category) ?? (isMarkdownCategory(category) ? 'markdown' : 'plain');
  const hasFixedFormat = findCategoryLanguage(category) !== undefined || isAlwaysProse(category);
  const isDetectable = !hasFixedFormat && text.length <= maxDetectedLength && !mayHaveTurns(text);
  return (isDetectable ? detectCodeLanguage(text) : undefined) ?? usual;
}
