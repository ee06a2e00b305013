const joiner = '\u200d';
const noBreakSpace = '\u00a0';

/** Characters that change unseen how a text is read: directional controls, those without width, no-break spaces. */
export const invisibleNames: Readonly<Record<string, string>> = {
  [noBreakSpace]: 'NO-BREAK SPACE',
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

const others = Object.keys(invisibleNames).filter((character) => character !== joiner && character !== noBreakSpace);

const createPattern = (more: string) =>
  new RegExp(`([${others.join('')}${more}]|(?<![\\p{ExtPict}\\p{EMod}]\\ufe0f?)${joiner})`, 'gu');

/** Captures an invisible character; skips joiners inside emoji (families, flags), and no-break spaces. */
export const invisiblePattern = createPattern('');

/** The same with no-break spaces, which break commands. */
export const invisibleInCodePattern = createPattern(noBreakSpace);
