import { longSecrets, minRun, type Rule, shortSecrets } from './rules.ts';

/** Which kinds of secrets a text seems to hold, as "a GitHub token", each once; the secrets themselves are not told. */
export function secretsIn(text: string): readonly string[] {
  const kinds = new Set<string>();
  for (const rule of hasRun(text) ? [...longSecrets, ...shortSecrets] : shortSecrets) {
    if (!kinds.has(rule.kind) && rule.words.some((word) => text.includes(word)) && isIn(text, rule)) {
      kinds.add(rule.kind);
    }
  }
  return [...kinds];
}

/** The same of a note. */
export const secretsInNote = ({ title, content }: { readonly title: string; readonly content: string }) =>
  secretsIn(`${title}\n${content}`);

/**
 * Whether so many letters and digits stand in a row, a capital or a digit among them. Looks at few of the characters:
 * where one is none of these, the next such row ends so many behind it.
 */
function hasRun(text: string): boolean {
  for (let end = minRun - 1; end < text.length; end += minRun) {
    let at = end;
    let seen = 0;
    for (let bits = 1; at > end - minRun && bits > 0; at--) {
      bits = text.charCodeAt(at) < bitsOf.length ? (bitsOf[text.charCodeAt(at)] ?? 0) : 0;
      seen |= bits;
      if (bits === 0) end = at;
    }
    if (at === end - minRun && seen > 1) return true;
  }
  return false;
}

/** 1 for a small letter, 3 for a capital and a digit, 0 for all else. */
const bitsOf = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[a-z]/.test(character) ? 1 : /[A-Z\d]/.test(character) ? 3 : 0;
});

function isIn(text: string, { pattern, minEntropy, isGuess = false }: Rule): boolean {
  for (const [whole, secret = whole] of text.matchAll(pattern)) {
    if (entropyOf(secret) >= minEntropy && !(isGuess && isHarmless(secret))) return true;
  }
  return false;
}

/** Words alone, numbers alone, a field of a variable, and what documentation writes in the place of a secret. */
const isHarmless = (secret: string) => !/[a-z]/i.test(secret) || !/\d/.test(secret) || harmless.test(secret);
const harmless =
  /^[a-z_]\w*(\.[a-z_]\w*)+$|example|sample|dummy|placeholder|your|change|redact|xxx|\*\*|\.\.\.|…|1234/i;

/** Of Shannon, in bits for each character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0);
}
