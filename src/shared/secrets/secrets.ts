import { longSecrets, minRun, type Rule, shortSecrets, shortWords } from './rules.ts';

const none: readonly never[] = [];

/** The kinds of secrets that a text seems to contain, such as "a GitHub token"; never the secrets themselves. */
export function secretsIn(text: string): readonly string[] {
  let kinds: readonly string[] = none;
  const rules = hasRun(text) ? longSecrets : none;
  for (const rule of shortWords.test(text) ? [...rules, ...shortSecrets] : rules) {
    if (hasWord(text, rule) && !kinds.includes(rule.kind) && isIn(text, rule)) kinds = [...kinds, rule.kind];
  }
  return kinds;
}

export function secretsInNote({ title, content }: { readonly title: string; readonly content: string }) {
  const [inTitle, inContent] = [secretsIn(title), secretsIn(content)];
  return inTitle.length === 0 ? inContent : [...new Set([...inTitle, ...inContent])];
}

function hasWord(text: string, { words }: Rule): boolean {
  for (const word of words) if (text.includes(word)) return true;
  return false;
}

/**
 * Whether the text has `minRun` letters and digits in a row that look generated: with a digit, or several capitals.
 * Looks at few characters: after one that is neither letter nor digit, the next run ends at least `minRun` later.
 */
function hasRun(text: string): boolean {
  for (let end = minRun - 1; end < text.length; end += minRun) {
    let at = end;
    let sum = 0;
    for (let weight = 1; at > end - minRun; at--) {
      weight = weights[text.charCodeAt(at)] ?? 0;
      if (weight === 0) break;
      sum += weight;
    }
    if (at > end - minRun) end = at;
    else if (sum >= minRun + 5 * capital) return true;
  }
  return false;
}

/** Weights of characters: 1 for each letter or digit, plus these. */
const capital = 16;
const weights = new Uint8Array(2 ** 16);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  if (/[a-z]/.test(character)) weights[code] = 1;
  else if (/[A-Z]/.test(character)) weights[code] = 1 + capital;
  else if (/\d/.test(character)) weights[code] = 1 + 5 * capital;
}

/** Uses `exec`, as `matchAll` copies the pattern each time. */
function isIn(text: string, { pattern, minEntropy, isGuess = false }: Rule): boolean {
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const secret = found[1] ?? found[0];
    if (entropyOf(secret) >= minEntropy && !(isGuess && isHarmless(secret))) return true;
  }
  return false;
}

/** Only letters, only digits, a property path, or a placeholder from documentation. */
const isHarmless = (secret: string) => !/[a-z]/i.test(secret) || !/\d/.test(secret) || harmless.test(secret);
const harmless =
  /^[a-z_]\w*(\.[a-z_]\w*)+$|example|sample|dummy|placeholder|your|change|redact|xxx|\*\*|\.\.\.|…|1234/i;

/** Shannon entropy, in bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0);
}
