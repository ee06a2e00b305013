/**
 * The languages that the editor colours: Markdown, shell and CSS at once, those of other fences when one is written.
 */
import { defineLanguageFacet, Language, languageDataProp, ParseContext, StreamLanguage } from '@codemirror/language';
import { css } from '@codemirror/legacy-modes/mode/css';
import { shell } from '@codemirror/legacy-modes/mode/shell';
import type { Parser } from '@lezer/common';
import { GFM, type MarkdownConfig, parseCode, parser } from '@lezer/markdown';
import { FrontMatterParser, frontMatterConfig } from './front-matter-parser.ts';
import { renameTokens } from './rename-tokens.ts';

const shellLanguage = StreamLanguage.define(renameTokens(shell, { attribute: null, def: 'variable-2' }));
const cssLanguage = StreamLanguage.define(css);

const shellNames = new Set(['bash', 'sh', 'shell', 'zsh', 'console']);

type FindLanguage = typeof import('./fence-languages.ts').findLanguageByName;

let findOtherLanguage: FindLanguage | undefined;
let otherLanguagesLoad: Promise<unknown> | undefined;

/** Without the other languages, which are optional, their code stays plain. */
export function loadOtherLanguages(): Promise<unknown> {
  otherLanguagesLoad ??= import('./fence-languages.ts').then(
    ({ findLanguageByName }) => {
      findOtherLanguage = findLanguageByName;
    },
    () => {},
  );
  return otherLanguagesLoad;
}

/** The language with a name; `not loaded` if it may be one of the others, which `loadOtherLanguages` loads. */
export function findLoadedCodeLanguage(name: string): Language | 'not loaded' | undefined {
  if (shellNames.has(name)) return shellLanguage;
  if (name === 'css') return cssLanguage;
  return findOtherLanguage ? findOtherLanguage(name) : 'not loaded';
}

function findFenceParser(info: string): Parser | null {
  const name = /^[\w#+-]+/.exec(info)?.[0]?.toLowerCase() ?? '';
  if (name === '') return null;
  const language = findLoadedCodeLanguage(name);
  if (language === 'not loaded') return ParseContext.getSkippingParser(loadOtherLanguages());
  return language?.parser ?? null;
}

/** In characters. The inline parser takes quadratic time in the length of a paragraph: 2 s for a megabyte of lines. */
const maxParsedParagraph = 10_000;

const plainLongParagraphs: MarkdownConfig = {
  parseInline: [
    {
      name: 'LongParagraph',
      before: 'Escape',
      parse: ({ offset, end }) => (end - offset > maxParsedParagraph ? end : -1), // its end: nothing in it is parsed
    },
  ],
};

const documentData = defineLanguageFacet();

export const markdownLanguage = new Language(
  documentData,
  new FrontMatterParser(
    parser.configure([
      GFM,
      frontMatterConfig,
      plainLongParagraphs,
      parseCode({ codeParser: findFenceParser }),
      { props: [languageDataProp.add({ Document: documentData })] },
    ]),
  ),
  [],
  'markdown',
);
