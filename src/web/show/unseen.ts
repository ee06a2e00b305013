const joiner = '\u200d';

/** Characters that are not seen but change how code is read: what turns directions, and what has no width. */
const names: Readonly<Record<string, string>> = {
  '\u00ad': 'SOFT HYPHEN',
  '\u061c': 'ARABIC LETTER MARK',
  '\u200b': 'ZERO WIDTH SPACE',
  '\u200c': 'ZERO WIDTH NON-JOINER',
  [joiner]: 'ZERO WIDTH JOINER',
  '\u200e': 'LEFT-TO-RIGHT MARK',
  '\u200f': 'RIGHT-TO-LEFT MARK',
  '\u202a': 'LEFT-TO-RIGHT EMBEDDING',
  '\u202b': 'RIGHT-TO-LEFT EMBEDDING',
  '\u202c': 'POP DIRECTIONAL FORMATTING',
  '\u202d': 'LEFT-TO-RIGHT OVERRIDE',
  '\u202e': 'RIGHT-TO-LEFT OVERRIDE',
  '\u2060': 'WORD JOINER',
  '\u2066': 'LEFT-TO-RIGHT ISOLATE',
  '\u2067': 'RIGHT-TO-LEFT ISOLATE',
  '\u2068': 'FIRST STRONG ISOLATE',
  '\u2069': 'POP DIRECTIONAL ISOLATE',
  '\ufeff': 'ZERO WIDTH NO-BREAK SPACE',
};

const others = Object.keys(names).filter((character) => character !== joiner);

/** Inside of an emoji (a family, a flag) the joiner is left alone: a mark would tear the picture apart. */
const unseen = new RegExp(`([${others.join('')}]|(?<![\\p{ExtPict}\\p{EMod}]\\ufe0f?)${joiner})`, 'gu');

/** An unseen character with its number, `U+202E`, and its name in full. */
export interface Unseen {
  readonly character: string;
  readonly code: string;
  readonly title: string;
}

function describe(character: string): Unseen {
  const code = `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  return { character, code, title: `${code} ${names[character]}` };
}

/** More marks than this take a browser seconds to lay out: further characters are replaced by one that is seen. */
const mostMarks = 1000;
const replacement = '\ufffd';

/** The text in pieces, in order: joined they are the text. */
export const splitUnseen = (text: string): (string | Unseen)[] =>
  text.split(unseen).map((piece, index) => {
    if (index % 2 === 0) return piece;
    return index < 2 * mostMarks ? describe(piece) : replacement;
  });

/** Marks the unseen characters of HTML whose attributes hold none. */
export function markUnseen(html: string): string {
  let marks = 0;
  return html.replace(unseen, (found) => {
    marks += 1;
    if (marks > mostMarks) return replacement;
    const { character, code, title } = describe(found);
    return `<span class="unseen" data-code="${code}" title="${title}">${character}</span>`;
  });
}
