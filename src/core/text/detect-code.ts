/**
 * Decides whether a text is code, and in which language, so that a note can be shown as what it is. It looks at lines:
 * each one is evidence for code, evidence for prose, or neither.
 *
 * Example: in `def area(r):\n    # of a circle\n    return 3 * r ** 2`, the first and the last line are Python, and the
 * comment is neither, so the text is Python. In `Call me:\nprint(1) fails`, one line of two is prose, so it is text.
 */

import { findBodyStart } from './yaml-front-matter.ts';

/** A name of highlight.js; `plaintext` is code in a language that is not known. */
export type DetectedLanguage = (typeof languages)[number]['language'] | 'json' | 'plaintext';

/** No more characters of a text, or of a line, are looked at: the beginning shows what a text is. */
const maxLength = 10_000;
const maxLineLength = 200;

interface LanguageSigns {
  readonly language: string;
  /** Matches lines that hardly occur outside of the language. */
  readonly line: RegExp;
  /** A text that does not match it is in another language. */
  readonly required?: RegExp;
  /** A text that matches it is in another language. */
  readonly excluded?: RegExp;
}

/** The language with the most lines wins; of several, the first. */
const languages = [
  {
    language: 'diff',
    line: /^(?:diff --git |index [\da-f]{7,}|@@ -\d|(?:---|\+\+\+) (?:a\/|b\/|\/dev\/null)|[+-](?![+\- ]*$)\s*\S)/,
    required: /^(?:diff --git |@@ -\d)/m,
  },
  {
    language: 'python',
    line: /^\s*(?:(?:async )?def \w+\(|class \w+(?:\([\w., =]*\))?:$|from [\w.]+ import \S|import [a-z_][\w.]*(?: as \w+)?(?:, [\w.]+)*$|(?:if|elif|while|for|with|except|try|else|finally)\b[^{]*:(?: *#.*)?$|@[\w.]+(?:\(.*\))?$|print\(|raise \w+\(|(?:return|yield|assert|del|pass)\b(?!.*[;{])|self\.\w+ ?[=(.]|""")/,
    required:
      /^\s*(?:(?:async )?def \w+\(.*|class \w+.*:|from [\w.]+ import .*|import [a-z_][\w.]*|(?:if|for|while|with)\b.*:|print\(.*\))$/m,
  },
  {
    language: 'typescript',
    line: /^\s*(?:import (?:type )?(?:[\w*{].* from )?['"]|export (?:const|default|type|interface|class|function|async|enum|\{|\*)|(?:const|let|var) [\w{[][^;]* ?=|(?:async )?function\*? ?\w*\(|(?:interface|type) \w+(?:<.*>)? ?[={]|(?:readonly )?\w+\??: (?:string|number|boolean|unknown|void)\b|console\.\w+\(|(?:return|await|throw) .*;$|module\.exports\b|require\(|\}\)(?:\(\))?;?$)|=> ?[{(\w]|===|!==/,
  },
  {
    language: 'rust',
    line: /^\s*(?:(?:pub(?:\(\w+\))? )?(?:fn|struct|enum|trait|mod|impl)\b.*[{;(]$|use [\w:]+(?:::\{.*\})?;$|let mut \w|#!?\[\w+.*\]$|match .* \{$|impl(?:<.*>)? \w|println!\()/,
  },
  {
    language: 'go',
    line: /^\s*(?:package \w+$|func (?:\(\w+ \*?\w+\) )?\w*\(.*\{$|import (?:\(|")|type \w+ (?:struct|interface) \{|defer \w|go func\(|fmt\.\w+\()|\w+(?:, \w+)* := /,
  },
  {
    language: 'java',
    line: /^\s*(?:package [\w.]+;$|import (?:static )?[\w.*]+;$|(?:public|private|protected)(?: (?:static|final|abstract|synchronized))* (?:class|interface|enum|record|void|\w+(?:<.*>)?(?:\[\])?) \w+|@Override$|System\.out\.|(?:final )?(?:int|long|double|boolean|String)(?:\[\])? \w+ ?=)/,
  },
  {
    language: 'csharp',
    line: /^\s*(?:using [\w.]+;$|namespace [\w.]+[;{]?$|(?:public|internal)(?: (?:static|sealed|abstract|partial))* (?:class|record|interface|struct) \w+|(?:public|private|internal|protected)(?: (?:static|async|override|sealed|readonly))* [\w<>?[\]]+ \w+.*(?:\{ get;|=>)|Console\.Write)/,
  },
  {
    language: 'cpp',
    line: /^\s*(?:#(?:include|define|ifdef|ifndef|endif|pragma)\b|(?:int|void|char|double|float|size_t|auto|static|const|unsigned|struct)\b[\w *&:<>]* \**\w+(?:\(.*\)?(?: \{|;|\{)?$| ?=.*;$|\[.*;$| \{$|;$)|std::|printf\(|return [^;]*;$|using namespace \w)/,
  },
  {
    language: 'php',
    line: /^\s*(?:<\?php|\?>|\$\w+ ?=.*;$|echo .*;$|(?:public |private |static )*function \w+\(.*\$|use [\w\\]+;$|foreach \(\$|return \$.*;$|\$this->)/,
  },
  {
    language: 'ruby',
    line: /^\s*(?:def \w+[?!]?(?:\(.*\)|$)|end$|require(?:_relative)? ['"]|puts \S|class \w+(?: < \w[\w:]*)?$|module \w+$|attr_\w+ :|.* do(?: \|.*\|)?$|\w+\.each\b|(?:if|unless) .*[?\w)]$)/,
    required: /^\s*end$/m,
  },
  {
    language: 'lua',
    line: /^\s*(?:local (?:function )?\w+|function [\w.:]+\(|end[,)]?$|(?:if|elseif) .* then$|for .* do$|return \w|print\(|require ?\(?['"])/,
    required: /^\s*local (?:function )?\w+/m,
  },
  {
    language: 'kotlin',
    line: /^\s*(?:(?:private |override |suspend |inline )*fun (?:<.*> )?[\w.]+\(|(?:private |const |lateinit )*va[lr] \w+(?:: \w.*)? ?=|(?:data |sealed |open )class \w+|companion object|when \(.*\) \{|println\()/,
  },
  {
    language: 'swift',
    line: /^\s*(?:import (?:SwiftUI|UIKit|Foundation|Combine)$|(?:private |public |static |override |mutating )*func \w+.*\{$|(?:struct|class|enum|protocol|extension) \w+(?:: [\w, ]+)? \{$|guard let |@(?:State|main|Published|Binding)\b|(?:let|var) \w+(?:: (?:some )?[\w[\]?]+)?(?: =|$| \{))/,
  },
  {
    language: 'sql',
    line: /^\s*(?:select|insert into|update \w+ set|delete from|create (?:unique |or replace |temp )*(?:table|index|view|function)|alter table|drop table|with \w+ as \(|from \w+|(?:left |right |inner |full |cross )*(?:outer )?join \w|where \w|group by|order by|having|values ?\(|limit \d|on conflict|union(?: all)?$|returning \w|set \w+ =|and [\w.]+ ?(?:[=<>]|in\b|is\b|like\b)|"?\w+"?\s+(?:integer|int|bigint|serial|text|varchar|char|numeric|boolean|date|timestamp\w*|jsonb?|uuid|real)\b.*[,)]?$|(?:primary|foreign|unique) key\b)/i,
    required:
      /^\s*(?:select\b.*(?:,|\*|\bfrom\b|$)|insert into \w|update \w+ set\b|update \w+$|delete from \w|create (?:unique |or replace |temp )*(?:table|index|view|function)\b|alter table \w|with \w+ as \()/im,
  },
  {
    language: 'css',
    line: /^\s*(?:(?!(?:if|for|while|switch|else|try|catch|do|function|class|return)\b)[.#:[*&@]?[\w.#:[\]="'>~+*, ()-]+ ?\{$|--[\w-]+: ?.*;$|[a-z-]+: ?[^;{}]+;?$|[.#][\w .#:>-]+,$|@(?:media|import|keyframes|supports|layer|font-face|container)\b|.*\{ ?[a-z-]+: ?[^{}]*\}$|\}$)/,
    required: /\{\s*(?:--)?[a-z-]+: ?[^;{}\n]+[;}\n]|^\s*@(?:import|media|font-face|keyframes)\b/m,
    excluded: /=>|\b(?:const|let|var|function|return|interface|func) /,
  },
  {
    language: 'xml',
    line: /^\s*(?:<\/?[a-z][\w:.-]*(?:\s[^<>]*)?\/?>|<!doctype |<!--|<\?xml )/i,
    required:
      /<(?:!doctype|\?xml|[a-z][\w:.-]* [\w:-]+=["']|(?:html|head|body|div|span|p|ul|li|table|svg|script|style|form|main)>)/i,
  },
  {
    language: 'dockerfile',
    line: /^(?:FROM [\w./:@${}-]+(?: AS \w+)?$|(?:RUN|COPY|ADD|ENV|ARG|WORKDIR|EXPOSE|USER|ENTRYPOINT|CMD|VOLUME|LABEL|HEALTHCHECK) \S)/,
    required: /^FROM \S/m,
  },
  {
    language: 'makefile',
    line: /^(?:\.PHONY:|[\w./%$()-]+:(?: [\w./%$() -]*)?$|\t\S|[A-Z_]+ ?[:?+]?= ?|include \S|if(?:n?eq|n?def) )/,
    required: /^[\w./%$()-]+:(?: [\w./%$() -]*)?\n\t\S/m,
  },
  {
    language: 'nginx',
    line: /^\s*(?:(?:server|http|events|upstream \w+|location [^{]+) ?\{$|(?:listen|server_name|root|proxy_\w+|return|ssl_\w+|try_files|add_header|include|worker_\w+|client_\w+|access_log|error_log|server) .*;$|\}$)/,
    required: /^\s*(?:server|http|upstream \w+|location [^{]+) ?\{$/m,
  },
  {
    language: 'bash',
    line: /^\s*(?:[$%❯] \S|(?:sudo|apt(?:-get)?|brew|npm|npx|yarn|pnpm|pip3?|git|docker|docker-compose|podman|kubectl|helm|terraform|curl|wget|ssh|scp|rsync|cd|ls|mkdir|rm|cp|mv|cat|grep|sed|awk|find|tar|chmod|chown|systemctl|journalctl|export|source|echo|ffmpeg|psql|make|cargo|go|python3?|node|bun|deno) [\w$"'./~:-]\S*(?! \w+ \w+ \w+[.!?]$)|(?:if|while) (?:\[|!|\w+.*;) ?.*(?:; ?(?:then|do))?$|for \w+ in .*(?:; ?do)?$|(?:then|do|done|fi|esac|else)$|\w+\(\) ?\{$|[A-Z_][A-Z\d_]*=(?:["'$\w/.]|$)|set -[a-z]+|local \w+=|--?[a-z][\w-]*(?:[ =]\S+)? ?\\?$|[a-z][\w.-]* --?[a-z]|.*(?: \\|\|| &&)$)/,
    required:
      /^\s*(?:#!.*sh\b|[$%❯] \S|(?:if|while) (?:\[|!)|(?:done|fi|esac)$|for \w+ in .*;? ?do$|\w+ ?\(\) ?\{$|set -[a-z]+|export \w+=|(?:sudo|apt-get|brew|npm|npx|pip3?|git|docker|kubectl|curl|wget|ssh|scp|rsync|cd|mkdir|rm|chmod|systemctl) (?:-|[\w./~:-]+(?: -| \S*[/.:=]|$)|install |"|\$|https?:|\.))/m,
  },
  {
    language: 'yaml',
    line: /^(?:---$|\s*(?:- )?["']?[\w./-]+["']?:(?: \S.*| *[|>][+-]?)?$|\s*- \S+$|\s*- ["'].*["']$|\s+- \S.*$)/,
    required:
      /^[a-z_][\w./-]*:(?: *[|>][+-]?)?\n(?:#.*\n)?(?: +|(?=- ))(?:- )?["']?[\w./-]+["']?:?|^---\n[a-z_][\w.-]*:/m,
  },
  {
    language: 'ini',
    line: /^(?:\[{1,2}[\w."' -]+\]{1,2}$|[\w."-]+ ?= ?\S?.*)$/,
    required: /^\[{1,2}[\w."' -]+\]{1,2}\n(?:[#;].*\n|\n)*[\w."-]+ ?=/m,
  },
  {
    language: 'plaintext', // the configuration of ssh
    line: /^\s*(?:Host|HostName|User|Port|IdentityFile|ProxyJump|ForwardAgent|LocalForward|IdentitiesOnly|Include|Match|ServerAlive\w+|AddKeysToAgent|StrictHostKeyChecking) \S/i,
    required: /^Host \S+.*\n\s+\w+ \S/im,
  },
] as const satisfies readonly LanguageSigns[];

/** Brackets, comments, texts in quotes and names in a list: they say nothing, as prose has some of them as well. */
const neutral =
  /^\s*(?:[\])}>;,]+|[[({]|\/\/.*|\/\*.*|\*.*|#(?!#).*|--\s.*|;.*|""".*|'''.*|else \{|\} else \{|\s[\w.]+,)$/;

/**
 * What sentences do not have, once texts in quotes and web addresses are cut out: operators, calls, names in one word.
 */
const operators = /[;{}[\]=<>|&$@\\^]|\w\(|\)[;,{]|\w[._]\w|[a-z][A-Z]|::|->|(?<!\S)[-/+*%]+(?!\S)|\/\w/g;
const quotedOrAddress = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|https?:\/\/\S+/g;
const statementEnd = /[;{}([\\]$|[)\]}],?$/;

/** Words in a row as sentences have them, or a mark of Markdown: a heading, a list, a quotation, a table, a link. */
const sentence = /(?:^|[\s("'“*_])\p{L}[\p{L}'’-]*(?:,? \(?["“*_]{0,2}\p{L}[\p{L}'’-]*["”*_,;:)]{0,3}){3,}/u;
const markdown =
  /^(?:#{2,6} \S|\s*[-*+] (?:\[[ x]\] )?[\p{L}`*[]|\s*\d{1,3}[.)] \S|> \S|\|.*\|$|\[[^\]]+\]: |!?\[.*?\](?:\(|\[))/u;
const blockComment = /\/\*[\s\S]{0,2000}?\*\/|"""[\s\S]{0,2000}?"""|<!--[\s\S]{0,2000}?-->/g;
const fence = /^ {0,3}(?:```|~~~)/m;

const interpreters: Readonly<Record<string, DetectedLanguage>> = {
  bash: 'bash',
  sh: 'bash',
  zsh: 'bash',
  python: 'python',
  python3: 'python',
  node: 'typescript',
  bun: 'typescript',
  deno: 'typescript',
  ruby: 'ruby',
  php: 'php',
  lua: 'lua',
};

/**
 * A placeholder such as `{{code}}` or `{{name=Ann}}`, and one that is misspelled. Its braces are no sign of code: the
 * value stands there once it is filled in.
 */
const placeholder = /\{\{ *\p{L}[^{}\n]{0,200}\}\}/gu;

/**
 * Returns the language of a text that is mostly code; undefined if it is prose, Markdown, or in doubt. Front matter
 * says nothing about the text below it. The line `---` that ends it stays, as it may as well begin another document of
 * YAML.
 */
export function detectCodeLanguage(text: string): DetectedLanguage | undefined {
  const start = findBodyStart(text);
  return detectLanguageOfBody(start === 0 ? text : `---\n${text.slice(start)}`);
}

function detectLanguageOfBody(text: string): DetectedLanguage | undefined {
  if (isNonEmptyJsonObjectOrArray(text)) return 'json';
  if (fence.test(text)) return undefined;
  const lines = text
    .slice(0, maxLength)
    .replaceAll(placeholder, 'value')
    .replaceAll(blockComment, '')
    .split(/\r?\n|\r/)
    .map((line) => line.slice(0, maxLineLength).trimEnd())
    .filter((line) => line !== '');
  const interpreter = /^#!.*?(\w+)$/.exec(lines[0] ?? '')?.[1] ?? '';
  if (Object.hasOwn(interpreters, interpreter)) return interpreters[interpreter];
  const { language, line: known, count } = findBestLanguageOrPlaintext(lines);
  const written = lines.filter((line) => !neutral.test(line));
  const prose = written.filter((line) => !known.test(line) && isProseLine(line)).length;
  const code = written.filter((line) => known.test(line) || (!isProseLine(line) && isStatementLine(line))).length;
  const isCode = code >= 2 && code >= 0.7 * written.length && prose <= 0.15 * written.length;
  if (!isCode) return undefined;
  if (count >= 0.3 * written.length) return language;
  return code >= 3 && prose === 0 ? 'plaintext' : undefined;
}

function isNonEmptyJsonObjectOrArray(text: string): boolean {
  const trimmed = text.trim();
  if (!/^(?:\{[\s\S]*\}|\[[\s\S]*\])$/.test(trimmed)) return false;
  try {
    const value: unknown = JSON.parse(trimmed);
    return Object.values(value as object).length > 0;
  } catch {
    return false;
  }
}

type Signs = LanguageSigns & Readonly<{ language: DetectedLanguage }>;

interface BestLanguage {
  readonly language: DetectedLanguage;
  readonly line: RegExp;
  /** The number of lines that only this language has. */
  readonly count: number;
}

function findBestLanguageOrPlaintext(lines: readonly string[]): BestLanguage {
  const text = lines.join('\n');
  let best: BestLanguage = { language: 'plaintext', line: /(?!)/, count: 0 };
  for (const { language, line, required, excluded } of languages as readonly Signs[]) {
    if (required?.test(text) === false || excluded?.test(text)) continue;
    const count = lines.filter((each) => line.test(each)).length;
    if (count > best.count) best = { language, line, count };
  }
  return best;
}

const isProseLine = (line: string): boolean =>
  markdown.test(line) || (sentence.test(line.replace(quotedOrAddress, '')) && countOperators(line) < 3);

function isStatementLine(line: string): boolean {
  const count = countOperators(line);
  return count >= 2 || (count >= 1 && statementEnd.test(line));
}

const countOperators = (line: string): number => line.replace(quotedOrAddress, '""').match(operators)?.length ?? 0;
