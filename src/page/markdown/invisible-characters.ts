import { invisibleInCodePattern, invisibleNames, invisiblePattern } from '../../core/text/invisible-patterns.ts';

type InvisibleCharacter = Readonly<{ character: string; code: string; title: string }>;

function describeInvisibleCharacter(character: string): InvisibleCharacter {
  const code = `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  return { character, code, title: `${code} ${invisibleNames[character]}` };
}

/** More marks take seconds to lay out; further characters are replaced by a visible one. */
const maxEnclosedCharacters = 1000;
export const replacementCharacter = '\ufffd';

export const splitAtInvisibleCharacters = (text: string): (string | InvisibleCharacter)[] =>
  text.split(invisiblePattern).map((piece, index) => {
    if (index % 2 === 0) return piece;
    return index < 2 * maxEnclosedCharacters ? describeInvisibleCharacter(piece) : replacementCharacter;
  });

/** Marks the invisible characters of code in HTML. Its attributes must not contain any. */
export function encloseInvisibleCharacters(html: string): string {
  let marks = 0;
  return html.replace(invisibleInCodePattern, (found) => {
    marks += 1;
    if (marks > maxEnclosedCharacters) return replacementCharacter;
    const { character, code, title } = describeInvisibleCharacter(found);
    return `<span class="invisible-character" data-code="${code}" title="${title}">${character}</span>`;
  });
}
