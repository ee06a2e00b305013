const joiner = '\u200d';

/** Invisible characters that change how a text is read: directional controls, and characters without width. */
export const invisibleNames: Readonly<Record<string, string>> = {
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

const others = Object.keys(invisibleNames).filter((character) => character !== joiner);

/** Captures an invisible character; skips joiners inside emoji (families, flags). */
export const invisible = new RegExp(`([${others.join('')}]|(?<![\\p{ExtPict}\\p{EMod}]\\ufe0f?)${joiner})`, 'gu');
