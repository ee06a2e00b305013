/**
 * A pattern of secrets, based on gitleaks (github.com/gitleaks/gitleaks, config/gitleaks.toml, MIT): tokens with a
 * prefix, private keys, and values assigned to a password or a token. Patterns run in linear time: repetitions are
 * bounded, and a long gap ends where the rule could begin again.
 */
interface Rule {
  /** As shown, with its article. */
  readonly kind: string;
  /** A text without any of these is skipped. */
  readonly words: readonly string[];
  /** The secret is its first group, or the whole match. */
  readonly pattern: RegExp;
  /** In bits per character of the secret; default 3. */
  readonly minEntropy?: number;
  /** Whether the secret must contain digits and letters and not look like an example. */
  readonly isGuess?: boolean;
}

/** A generated word that is not part of a longer one. */
const token = (source: string) => new RegExp(`(?<![\\w-])(?:${source})(?![\\w-])`, 'g');

/** A value, quoted or not, that is no call, path, variable or part of a template. */
const value = (min: number) => `(?![./~]|https?:)([^\\s"'\`<>{}()[\\]$,;\\\\]{${min},200})(?=["'\`\\s,;\\\\]|$)`;
const assigned = `["'\`]?[ \\t]*(?::=|=>|[:=])[ \\t]*["'\`]?`;

const rules: readonly Rule[] = [
  {
    kind: 'a private key',
    words: ['PRIVATE KEY'],
    pattern: /-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----((?:(?!-----BEGIN)[\s\S]){64,20000}?)-----END/g,
  },
  {
    kind: 'an AWS access key',
    words: ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
    pattern: token('(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?<!EXAMPLE)'),
  },
  {
    kind: 'a GitHub token',
    words: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    pattern: token('gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\\w{82}'),
  },
  {
    kind: 'a Slack token',
    words: ['xox', 'xapp-', 'hooks.slack.com'],
    pattern: token(
      'xox[abeoprs](?:\\.xox[bp])?-[A-Za-z0-9-]{20,300}|xapp-\\d-[A-Za-z0-9-]{20,300}|hooks\\.slack\\.com/services/T[A-Z0-9]+/B[A-Z0-9]+/\\w{20,30}',
    ),
  },
  { kind: 'an Anthropic key', words: ['sk-ant-'], pattern: token('sk-ant-[a-z]{3,5}\\d\\d-[\\w-]{80,120}') },
  {
    kind: 'an OpenAI key',
    words: ['sk-'],
    pattern: token('sk-(?:proj|svcacct|admin)-[\\w-]{40,200}|sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}'),
  },
  { kind: 'a Google key', words: ['AIza'], pattern: token('AIza[\\w-]{35}'), minEntropy: 4 },
  {
    kind: 'a Stripe key',
    words: ['_live_', '_test_', '_prod_'],
    pattern: token('[rs]k_(?:live|test|prod)_[A-Za-z0-9]{16,247}'),
    minEntropy: 2,
  },
  { kind: 'an npm token', words: ['npm_'], pattern: token('npm_[A-Za-z0-9]{36}') },
  { kind: 'a PyPI token', words: ['pypi-AgE'], pattern: token('pypi-AgEIcHlwaS5vcmc[\\w-]{50,1000}') },
  { kind: 'a Hugging Face token', words: ['hf_'], pattern: token('hf_[A-Za-z]{34}') },
  { kind: 'a SendGrid key', words: ['SG.'], pattern: token('SG\\.[\\w-]{22}\\.[\\w-]{43}') },
  { kind: 'a DigitalOcean token', words: ['_v1_'], pattern: token('do[opr]_v1_[a-f0-9]{64}') },
  {
    kind: 'a JSON Web Token',
    words: ['eyJ'],
    pattern: token('eyJ[\\w-]{17,8000}\\.eyJ[\\w-]{17,8000}\\.[\\w-]{10,2000}'),
  },
  {
    kind: 'a key or token',
    words: ['oken', 'OKEN', 'ecret', 'ECRET', 'key', 'Key', 'KEY', 'uthorization', 'UTHORIZATION'],
    pattern: new RegExp(
      `(?:(?:token|secret|(?:api|access|auth|private|secret|encryption)[_-]?key)${assigned}|authorization["']?[:=][ \\t]*["']?(?:bearer|basic|token)[ \\t]+)${value(16)}`,
      'gi',
    ),
    minEntropy: 3.5,
    isGuess: true,
  },
  { kind: 'a GitLab token', words: ['glpat-'], pattern: token('glpat-[\\w.-]{20,300}') },
  {
    kind: 'a password in an address',
    words: ['://'],
    pattern: /:\/\/[^\s:/@"'`<>]{1,100}:([^\s:/@"'`<>{}$]{6,200})@[\w.[-]/g,
    minEntropy: 2.5,
    isGuess: true,
  },
  {
    kind: 'a password',
    words: ['assw', 'ASSW', 'pwd', 'PWD'],
    pattern: new RegExp(`(?:passw(?:or)?d|pwd)${assigned}${value(8)}`, 'gi'),
    minEntropy: 2.75,
    isGuess: true,
  },
  {
    kind: 'a password',
    words: ['curl'],
    pattern: /\bcurl (?:(?!\bcurl )[^\r\n]){0,500}?(?:-u|--user)[ =]["']?[^\s:"']{1,100}:([^\s"'$<>{}]{6,200})/g,
    minEntropy: 2.5,
    isGuess: true,
  },
];

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
