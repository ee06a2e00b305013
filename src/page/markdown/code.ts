import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import css from 'highlight.js/lib/languages/css';
import plaintext from 'highlight.js/lib/languages/plaintext';
import { findPromptLengths } from '../../core/text/shell-prompts.ts';
import { markInvisible } from './invisible-characters.ts';

hljs.registerLanguage('bash', bash);
hljs.registerLanguage('css', css);
hljs.registerLanguage('plaintext', plaintext);

export type CodeLanguage = 'bash' | 'css';

const fences = /(?:```|~~~)[ \t]*([\w#+-]{1,20})/g;

const shells = new Set(['bash', 'sh', 'shell', 'zsh', 'console']);

export function languageOf(name: string | undefined): string | undefined {
  const given = name?.toLowerCase() ?? '';
  if (shells.has(given)) return 'bash';
  return hljs.getLanguage(given) && given;
}

let areLoaded = false;

/** Loads the grammars of the less common languages that a text names; without them its code stays plain. */
export async function loadGrammars(text: string): Promise<void> {
  if (areLoaded || [...text.matchAll(fences)].every(([, name]) => languageOf(name))) return;
  for (const [name, grammar] of Object.entries(await import('./grammars.ts'))) hljs.registerLanguage(name, grammar);
  areLoaded = true;
}

/** The grammars take quadratic time in the length of a word: 5 s for 100 KB of hex digits. */
const longWord = /[\w-]{1000}/;

function highlight(text: string, language: string): string {
  const known = longWord.test(text) ? 'plaintext' : language;
  return hljs.highlight(text, { language: known, ignoreIllegals: true }).value;
}

/** Highlights the commands without their prompts, then puts each prompt back at the start of its line. */
function highlightShell(text: string): string {
  const lines = text.split('\n');
  const lengths = findPromptLengths(lines);
  const commands = lines.map((line, index) => line.slice(lengths[index]));
  const prompts = lines.map((line, index) => line.slice(0, lengths[index]).replace('>', '&gt;'));
  return highlight(commands.join('\n'), 'bash')
    .split('\n')
    .map((line, index) => (prompts[index] ? `<span class="prompt">${prompts[index]}</span>${line}` : line))
    .join('\n');
}

/** Code as HTML that takes as much room as the code. `language`: a registered one. */
export const colouredHtml = (text: string, language: string): string =>
  language === 'bash' ? highlightShell(text) : highlight(text, language);

export const highlightCode = (text: string, language: string): string => markInvisible(colouredHtml(text, language));

/** Code for an HTML parser, which would turn a bare CR into a line end. */
export const codeHtml = (text: string, language: CodeLanguage): string =>
  highlightCode(text, language).replaceAll('\r', '&#13;');
