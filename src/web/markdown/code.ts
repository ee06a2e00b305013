import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import css from 'highlight.js/lib/languages/css';
import plaintext from 'highlight.js/lib/languages/plaintext';
import { markInvisible } from './invisible-characters.ts';

hljs.registerLanguage('bash', bash);
hljs.registerLanguage('css', css);
hljs.registerLanguage('plaintext', plaintext);

export type CodeLanguage = 'bash' | 'css';

const prompt = '$ ';

/** The grammars take quadratic time in the length of a word: 5 s for 100 KB of hex digits. */
const longWord = /[\w-]{1000}/;

function highlight(text: string, language: CodeLanguage): string {
  const known = longWord.test(text) ? 'plaintext' : language;
  return hljs.highlight(text, { language: known, ignoreIllegals: true }).value;
}

/** Highlights the commands without their prompts, then puts each prompt back at the start of its line. */
function highlightShell(text: string): string {
  const lines = text.split('\n');
  const hasPrompt = lines.map((line) => line.startsWith(prompt));
  const commands = lines.map((line, index) => (hasPrompt[index] ? line.slice(prompt.length) : line));
  return highlight(commands.join('\n'), 'bash')
    .split('\n')
    .map((line, index) => (hasPrompt[index] ? `<span class="prompt">${prompt}</span>${line}` : line))
    .join('\n');
}

/** Code as HTML whose text is the code, character by character. */
export const highlightCode = (text: string, language: CodeLanguage): string =>
  markInvisible(language === 'bash' ? highlightShell(text) : highlight(text, language));

/** The same, to be parsed as HTML, whose parser would read a bare CR as a line end. */
export const codeHtml = (text: string, language: CodeLanguage): string =>
  highlightCode(text, language).replaceAll('\r', '&#13;');
