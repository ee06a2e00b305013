import type { StreamParser } from '@codemirror/language';

/** The names that a mode gives to its tokens, each with the one that it gets instead; null leaves the token plain. */
type TokenRenames = Readonly<Record<string, string | null>>;

/**
 * Returns a mode whose tokens have other names, so that they get the colors that reading gives them. For example, the
 * mode of YAML calls a key an atom, and the one of JSON calls it a string.
 */
export const renameTokens = <State>(mode: StreamParser<State>, renames: TokenRenames): StreamParser<State> => ({
  ...mode,
  token(stream, state) {
    const name = mode.token(stream, state);
    return name !== null && Object.hasOwn(renames, name) ? (renames[name] ?? null) : name;
  },
});

/** Returns the mode with numbers among the values of ini files, which it does not tell from other values. */
export const recognizeNumbers = <State>(mode: StreamParser<State>): StreamParser<State> => ({
  ...mode,
  token(stream, state) {
    const name = mode.token(stream, state);
    return name === 'quote' && /^\s*[+-]?\d+(?:\.\d+)?\s*$/.test(stream.current()) ? 'number' : name;
  },
});
