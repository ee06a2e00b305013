import { invisible, invisibleNames } from '../../shared/invisible-characters.ts';

/** An unseen character with its number, `U+202E`, and its name in full. */
export interface Unseen {
  readonly character: string;
  readonly code: string;
  readonly title: string;
}

function describe(character: string): Unseen {
  const code = `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  return { character, code, title: `${code} ${invisibleNames[character]}` };
}

/** More marks than this take a browser seconds to lay out: further characters are replaced by one that is seen. */
const mostMarks = 1000;
const replacement = '\ufffd';

/** The text in pieces, in order: joined they are the text. */
export const splitUnseen = (text: string): (string | Unseen)[] =>
  text.split(invisible).map((piece, index) => {
    if (index % 2 === 0) return piece;
    return index < 2 * mostMarks ? describe(piece) : replacement;
  });

/** Marks the unseen characters of HTML whose attributes hold none. */
export function markUnseen(html: string): string {
  let marks = 0;
  return html.replace(invisible, (found) => {
    marks += 1;
    if (marks > mostMarks) return replacement;
    const { character, code, title } = describe(found);
    return `<span class="unseen" data-code="${code}" title="${title}">${character}</span>`;
  });
}
