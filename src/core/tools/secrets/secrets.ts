import { type Rule, rules } from './rules.ts';

/** The kinds of secrets that a text seems to contain, such as "a GitHub token"; never the secrets themselves. */
export function secretsIn(text: string): readonly string[] {
  const matching = rules.filter((rule) => !secretsOf(rule, text).next().done);
  return [...new Set(matching.map(({ kind }) => kind))];
}

export const secretsInNote = ({ title, content }: { readonly title: string; readonly content: string }) => [
  ...new Set([...secretsIn(title), ...secretsIn(content)]),
];

/** The apparent secrets themselves, each once. Not to be shown. */
export const secretValuesIn = ({ title, content }: { readonly title: string; readonly content: string }) => [
  ...new Set([title, content].flatMap((text) => rules.flatMap((rule) => [...secretsOf(rule, text)]))),
];

/** Uses `exec`, as `matchAll` copies the pattern each time. */
function* secretsOf({ words, pattern, minEntropy = 3, isGuess = false }: Rule, text: string): Generator<string> {
  if (!words.some((word) => text.includes(word))) return;
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const secret = found[1] ?? found[0];
    if (entropyOf(secret) >= minEntropy && !(isGuess && isHarmless(secret))) yield secret;
  }
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
