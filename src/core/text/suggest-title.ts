/**
 * Suggests a title for a text: the name of a function, a comment, a heading, the first selector of a style sheet, the
 * first question of a chat, or the first words.
 *
 * Example: of `#!/bin/sh\n# Restart the proxy\nset -e`, the first line says nothing, and the comment is the title. Of
 * `import re\n\ndef slugify(text):`, the import says nothing, and the title is `slugify`.
 */
import { assistantNamesPattern, userNamesPattern } from './chat-speakers.ts';
import { deriveTitle } from './derive-title.ts';
import { detectCodeLanguage } from './detect-code.ts';
import { guessCategory } from './guess-category.ts';
import { removePromptsAndFinalLineEnds } from './shell-prompts.ts';
import { findBodyStart } from './yaml-front-matter.ts';

/** No more characters of a text, or of a line, are looked at. */
const maxLength = 10_000;
const maxLineLength = 500;

/** In characters. A title that is longer ends with a whole word. */
const maxTitleLength = 100;

/** In characters. A command that is longer ends with `…`: its first words name it, and the text has the rest. */
const maxCommandLength = 60;

/** Lines that say nothing about what follows: marks alone, imports, settings, and comments for other programs. */
const saysNothing =
  /^(?:[^\p{L}\p{N}{]*\{?[^\p{L}\p{N}{]*|#!.*|```.*|~~~.*|<\?\w+|<!doctype .*|(?:import|from|using|package|namespace|require|use)\b.*|#include\b.*|["']use strict["'];?|set -\w.*|@\w[\w.]*(?:\(.*\))?|(?:#+|\/\/|\/\*) *(?:-\*-|vim:|pylint:|noqa\b|SPDX-|eslint\b|biome-ignore|@ts-|type: ignore).*)$/iu;

const definitions = [
  /^(?:export |default |async |pub(?:\(\w+\))? |static |public |private |protected |final )*(?:function\*?|def|fn|func|fun|sub|proc|class|interface|struct|enum|trait|type) +(?:\(\w+ \*?[\w.]+\) +)?([\p{L}_$][\p{L}\p{N}_$]*)(?:\s*[(<{:=;]| extends | implements |$)/u,
  /^(?:export )?(?:const|let|var) ([\p{L}_$][\p{L}\p{N}_$]*) *=.*(?:=>|\bfunction\b)/u,
  /^([a-z_][\w-]*) ?\(\) ?\{/i,
  /^create (?:or replace )?(?:temp(?:orary)? )?(?:function|procedure|view|table|trigger|index)(?: if not exists)? ["`]?([\w.]+)/i,
];

/** The marks of comments and headings before their text, and after it. */
const commentText =
  /^(?:\/\*+|\/\/+!?|#+(?=\s)|--(?=\s)|;+(?=\s)|<!--|[ru]?(?:"""|''')|\*(?=\s)|%+(?=\s))\s*(\S.*?)\s*(?:\*+\/|-->|"""|'''|#+)?$/;

const speakers = `(?:${userNamesPattern}|${assistantNamesPattern})(?: said)?`;
const speakerAlone = new RegExp(`^(?:\\*\\*|#+ )?${speakers}:?(?:\\*\\*)?:?$`, 'i');
const speakerBeforeWords = new RegExp(`^(?:\\*\\*)?${speakers}:(?:\\*\\*)? +(?=\\S)`, 'i');
const userTurn = new RegExp(`^(?:\\*\\*|#+ )?(?:${userNamesPattern})(?: said)?(?:\\*\\*)?(?::|$)`, 'i');
const assistantTurn = new RegExp(`^(?:\\*\\*|#+ )?(?:${assistantNamesPattern})(?: said)?(?:\\*\\*)?(?::|$)`, 'i');

export const suggestTitle = (text: string): string => suggestTitleOfBody(text.slice(findBodyStart(text)));

function suggestTitleOfBody(text: string): string {
  const lines = text
    .slice(0, maxLength)
    .split(/\r\n?|\n/)
    .map((line) => line.slice(0, maxLineLength).trim());
  const line = skipLeadingAssistantTurn(lines).find(
    (line) => line !== '' && !saysNothing.test(line) && !speakerAlone.test(line),
  );
  if (line === undefined) return deriveTitle(text);
  const name = findDefinedName(line) ?? findCommentText(line, text) ?? findSelector(line, text);
  return name === undefined ? shortenLineToTitle(removePromptSpeakerAndBrackets(line), text) : truncateToWords(name);
}

/** A chat that the program begins, with `How can I help?`, is about the first question of the user. */
function skipLeadingAssistantTurn(lines: readonly string[]): readonly string[] {
  const first = lines.find((line) => line !== '') ?? '';
  const question = assistantTurn.test(first) ? lines.findIndex((line) => userTurn.test(line)) : -1;
  return question > 0 ? lines.slice(question) : lines;
}

/** `#` without a space after it begins a comment in code, and a tag elsewhere. */
function findCommentText(line: string, text: string): string | undefined {
  const tag = /^#([\p{L}].*)$/u.exec(line)?.[1];
  const isComment = tag !== undefined && ['python', 'bash', 'ruby', 'yaml'].includes(detectCodeLanguage(text) ?? '');
  return isComment ? tag : commentText.exec(line)?.[1];
}

/** Finds the selector in the first line of a rule, such as `.card` in `.card { gap: 8px }`. */
function findSelector(line: string, text: string): string | undefined {
  const selector = /^([^\s{][^{]*?)\s*(?:\{.*|,)$/.exec(line)?.[1];
  return selector !== undefined && guessCategory(text) === 'css' ? selector : undefined;
}

/** Shortens a line to a title: a command of a shell earlier than other texts, as few can be read at a glance. */
function shortenLineToTitle(line: string, text: string): string {
  if (guessCategory(text) !== 'bash-commands') return truncateToWords(line.replace(/\s+/g, ' '));
  if (line.length <= maxCommandLength) return line; // the spaces of a command count
  const words = truncateToWords(line, maxCommandLength).replace(/[\s|&;\\]+$/, '');
  return `${words}…`;
}

const findDefinedName = (line: string): string | undefined =>
  definitions.map((definition) => definition.exec(line)?.[1]).find((name) => name !== undefined);

/**
 * Removes the prompt of a shell, the speaker of a chat, the brackets of data, and what opens a block or continues a
 * line.
 */
function removePromptSpeakerAndBrackets(line: string): string {
  const spoken = removePromptsAndFinalLineEnds(line).trim().replace(speakerBeforeWords, '');
  const isData = /^(?:\{(?!\{)|\[["{[\d]|"[\w-]+":)/.test(spoken);
  const words = isData
    ? spoken
        .replace(/[{}[\]"]+/g, ' ')
        .replace(/\s+([:,])/g, '$1')
        .replace(/[,\s]+$/, '')
    : spoken.replace(/\s*(?:(?<!\{)\{|\\)$/, '');
  return words.trim() || line;
}

function truncateToWords(title: string, maxLength = maxTitleLength): string {
  const characters = Array.from(title);
  if (characters.length <= maxLength) return title;
  const start = characters.slice(0, maxLength + 1).join('');
  const end = start.search(/\s\S*$/);
  return end > maxLength / 2 ? start.slice(0, end) : characters.slice(0, maxLength).join('');
}
