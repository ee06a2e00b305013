import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import css from 'highlight.js/lib/languages/css';
import plaintext from 'highlight.js/lib/languages/plaintext';
import { detectCodeLanguage } from '../../core/text/detect-code.ts';
import { findPromptLengths } from '../../core/text/shell-prompts.ts';
import { findFrontMatter } from '../../core/text/yaml-front-matter.ts';
import { encloseInvisibleCharacters } from './invisible-characters.ts';

hljs.registerLanguage('bash', bash);
hljs.registerLanguage('css', css);
hljs.registerLanguage('plaintext', plaintext);

export type CodeLanguage = 'bash' | 'css';

const fencePattern = /(?:```|~~~)[ \t]*([\w#+-]{1,20})/g;

const shellLanguageNames = new Set(['bash', 'sh', 'shell', 'zsh', 'console']);

export function findHighlightLanguage(name: string | undefined): string | undefined {
  const given = name?.toLowerCase() ?? '';
  if (shellLanguageNames.has(given)) return 'bash';
  return hljs.getLanguage(given) && given;
}

let areGrammarsLoaded = false;

/**
 * Loads the grammars of the less common languages if a text is in one of them, names one at a fence, or has front
 * matter; without them its code stays plain.
 */
export async function loadGrammarsIfNeeded(text: string): Promise<void> {
  if (areGrammarsLoaded) return;
  const fenceNames = [...text.matchAll(fencePattern)].map(([, name]) => name);
  const names = [detectCodeLanguage(text) ?? 'plaintext', findFrontMatter(text) ? 'yaml' : 'plaintext', ...fenceNames];
  if (names.every((name) => findHighlightLanguage(name))) return;
  for (const [name, grammar] of Object.entries(await import('./grammars.ts'))) hljs.registerLanguage(name, grammar);
  areGrammarsLoaded = true;
}

/** The grammars take quadratic time in the length of a word: 5 s for 100 KB of hex digits. */
const longWordPattern = /[\w-]{1000}/;

function highlightWithGrammar(text: string, language: string): string {
  const known = longWordPattern.test(text) ? 'plaintext' : language;
  return hljs.highlight(text, { language: known, ignoreIllegals: true }).value;
}

/** Highlights the commands without their prompts, then puts each prompt back at the start of its line. */
function highlightShell(text: string): string {
  const lines = text.split('\n');
  const lengths = findPromptLengths(lines);
  const commands = lines.map((line, index) => line.slice(lengths[index]));
  const prompts = lines.map((line, index) => line.slice(0, lengths[index]).replace('>', '&gt;'));
  return highlightWithGrammar(commands.join('\n'), 'bash')
    .split('\n')
    .map((line, index) => (prompts[index] ? `<span class="prompt">${prompts[index]}</span>${line}` : line))
    .join('\n');
}

/** Code as HTML that takes as much room as the code. `language`: a registered one. */
const highlightShellOrCode = (text: string, language: string): string =>
  language === 'bash' ? highlightShell(text) : highlightWithGrammar(text, language);

export const highlightCodeToHtml = (text: string, language: string): string =>
  encloseInvisibleCharacters(highlightShellOrCode(text, language));

/** Code for an HTML parser, which would turn a bare CR into a line end. */
export const highlightCodeForHtmlParser = (text: string, language: string): string =>
  highlightCodeToHtml(text, findHighlightLanguage(language) ?? 'plaintext').replaceAll('\r', '&#13;');
