/**
 * A pattern of secrets, based on gitleaks (github.com/gitleaks/gitleaks, config/gitleaks.toml, MIT): tokens with a
 * prefix, private keys, values assigned to a password or a token, and passwords as options of commands. Patterns run in
 * linear time: repetitions are bounded, and a long gap ends where the rule could begin again. `npx bun
 * bench/secrets.ts` prints what they find of 100 lines with secrets, and of 100 without (docs/decisions/10-secrets.md).
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
const createWholeTokenPattern = (source: string) => new RegExp(`(?<![\\w-])(?:${source})(?![\\w-])`, 'g');

/** A value, quoted or not, that is no call, path, address, variable or part of a template. */
const createValueSource = (min: number) =>
  `(?![./~]|%\\w{1,60}%|vault:|\\w{1,12}://)([^\\s"'\`<>{}()[\\]$,;\\\\]{${min},200})(?=["'\`\\s,;\\\\]|$)`;
const assignmentSource = `["'\`]?[ \\t]*(?::=|=>|[:=])[ \\t]*["'\`]?`;

/** A password behind a short option, such as `-p` of `sshpass`, in the same line. */
const createPasswordOptionRule = (program: string, option: string, word: string): Rule => ({
  kind: 'a password',
  words: [word],
  pattern: new RegExp(`\\b${program}\\b[^\\r\\n]{0,200}?[ \\t]${option}["']?${createValueSource(6)}`, 'g'),
  minEntropy: 2.5,
  isGuess: true,
});

const rules: readonly Rule[] = [
  {
    kind: 'a private key',
    words: ['PRIVATE KEY'],
    pattern: /-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----((?:(?!-----BEGIN)[\s\S]){64,20000}?)-----END/g,
  },
  {
    kind: 'an AWS access key',
    words: ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
    pattern: createWholeTokenPattern('(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?<!EXAMPLE)'),
  },
  {
    kind: 'a GitHub token',
    words: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    pattern: createWholeTokenPattern('gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\\w{82}'),
  },
  {
    kind: 'a Slack token',
    words: ['xox', 'xapp-', 'hooks.slack.com'],
    pattern: createWholeTokenPattern(
      'xox[abeoprs](?:\\.xox[bp])?-[A-Za-z0-9-]{20,300}|xapp-\\d-[A-Za-z0-9-]{20,300}|hooks\\.slack\\.com/services/T[A-Z0-9]+/B[A-Z0-9]+/\\w{20,30}',
    ),
  },
  {
    kind: 'an Anthropic key',
    words: ['sk-ant-'],
    pattern: createWholeTokenPattern('sk-ant-[a-z]{3,5}\\d\\d-[\\w-]{80,120}'),
  },
  {
    kind: 'an Anthropic key',
    words: ['sk-ant-'],
    pattern: createWholeTokenPattern('sk-ant-[\\w-]{20,120}'),
    minEntropy: 3.5,
    isGuess: true,
  },
  {
    kind: 'an OpenAI key',
    words: ['sk-'],
    pattern: createWholeTokenPattern(
      'sk-(?:proj|svcacct|admin)-[\\w-]{40,200}|sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|sk-[A-Za-z0-9]{48}',
    ),
  },
  { kind: 'a Google key', words: ['AIza'], pattern: createWholeTokenPattern('AIza[\\w-]{35}'), minEntropy: 4 },
  {
    kind: 'a Stripe key',
    words: ['_live_', '_test_', '_prod_'],
    pattern: createWholeTokenPattern('[rs]k_(?:live|test|prod)_[A-Za-z0-9]{16,247}'),
    minEntropy: 2,
  },
  { kind: 'an npm token', words: ['npm_'], pattern: createWholeTokenPattern('npm_[A-Za-z0-9]{36}') },
  {
    kind: 'a PyPI token',
    words: ['pypi-AgE'],
    pattern: createWholeTokenPattern('pypi-AgEIcHlwaS5vcmc[\\w-]{50,1000}'),
  },
  { kind: 'a Hugging Face token', words: ['hf_'], pattern: createWholeTokenPattern('hf_[A-Za-z]{34}') },
  { kind: 'a SendGrid key', words: ['SG.'], pattern: createWholeTokenPattern('SG\\.[\\w-]{22}\\.[\\w-]{43}') },
  { kind: 'a DigitalOcean token', words: ['_v1_'], pattern: createWholeTokenPattern('do[opr]_v1_[a-f0-9]{64}') },
  {
    kind: 'a key or token',
    words: ['gsk_', 'pplx-', 'xai-', 'r8_', 'GOCSPX-', 'ya29.', 'whsec_', 'dckr_pat_', 'rubygems_', 'hvs.', 'dapi'],
    pattern: createWholeTokenPattern(
      'gsk_[A-Za-z0-9]{52}|pplx-[A-Za-z0-9]{48}|xai-[A-Za-z0-9]{80}|r8_[A-Za-z0-9]{37}|GOCSPX-[\\w-]{28}|ya29\\.[\\w-]{30,500}|whsec_[A-Za-z0-9+/=]{32,64}|dckr_pat_[\\w-]{27}|rubygems_[a-f0-9]{48}|hvs\\.[\\w-]{24,150}|dapi[a-f0-9]{32}',
    ),
  },
  {
    kind: 'a key or token',
    words: ['lin_api_', 'glsa_', 'tskey-', 'shpat_', 'shpca_', 'shppa_', 'shpss_', 'figd_', 'ntn_', 'NRAK-', 'PMAK-'],
    pattern: createWholeTokenPattern(
      'lin_api_[A-Za-z0-9]{40}|glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|tskey-[a-z]{3,10}-[A-Za-z0-9]{8,20}-[A-Za-z0-9]{20,40}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}|figd_[\\w-]{40}|ntn_[A-Za-z0-9]{46}|NRAK-[A-Z0-9]{27}|PMAK-[a-f0-9]{24}-[a-f0-9]{34}',
    ),
  },
  {
    kind: 'a key or token',
    words: ['-us', 'key-', ':AA', 'discord'],
    pattern: createWholeTokenPattern(
      '[a-f0-9]{32}-us\\d{1,2}|key-[a-f0-9]{32}|\\d{8,10}:AA[\\w-]{33}|discord(?:app)?\\.com/api/webhooks/\\d{17,20}/[\\w-]{60,72}',
    ),
  },
  {
    kind: 'a Discord token',
    words: ['.'],
    pattern: createWholeTokenPattern('[MNO](?=\\w{0,24}\\d)[\\w-]{23,25}\\.[\\w-]{6}\\.[\\w-]{27,38}'),
    minEntropy: 4,
  },
  {
    kind: 'a private key',
    words: ['AGE-SECRET-KEY-1'],
    pattern: createWholeTokenPattern('AGE-SECRET-KEY-1[A-Z0-9]{58}'),
  },
  {
    kind: 'a JSON Web Token',
    words: ['eyJ'],
    pattern: createWholeTokenPattern('eyJ[\\w-]{17,8000}\\.eyJ[\\w-]{17,8000}\\.[\\w-]{10,2000}'),
  },
  {
    kind: 'a key or token',
    words: ['oken', 'OKEN', 'ecret', 'ECRET', 'key', 'Key', 'KEY', 'uthorization', 'UTHORIZATION'],
    pattern: new RegExp(
      `(?:(?:token|secret|(?:api|access|account|auth|private|secret|encryption)[_-]?key(?:_base)?)${assignmentSource}|authorization["']?[:=][ \\t]*["']?(?:bearer|basic|token)[ \\t]+)${createValueSource(16)}`,
      'gi',
    ),
    minEntropy: 3.5,
    isGuess: true,
  },
  { kind: 'a GitLab token', words: ['glpat-'], pattern: createWholeTokenPattern('glpat-[\\w.-]{20,300}') },
  {
    kind: 'a password in an address',
    words: ['://'],
    pattern: /:\/\/[^\s:/@"'`<>]{0,100}:([^\s:/@"'`<>{}$]{6,200})@[\w.[-]/g,
    minEntropy: 2.5,
    isGuess: true,
  },
  {
    kind: 'a password',
    words: ['assw', 'ASSW', 'assp', 'ASSP', 'pwd', 'PWD', '_pass', '_PASS'],
    pattern: new RegExp(`(?:passw(?:or)?d|passphrase|pwd|_pass)${assignmentSource}${createValueSource(8)}`, 'gi'),
    minEntropy: 2.75,
    isGuess: true,
  },
  {
    kind: 'a password',
    words: ["rd '", "RD '", "by '", "BY '"],
    pattern: /\b(?:password|identified by)[ \t]+'([^'\s]{6,200})'/gi,
    minEntropy: 2.5,
    isGuess: true,
  },
  {
    kind: 'a key or token',
    words: ['config set', 'configure set'],
    pattern: new RegExp(
      `\\bconfig(?:ure)? set [\\w.:/@-]{0,100}(?:token|secret|password|key)\\w{0,20}[ \\t]+["']?${createValueSource(16)}`,
      'gi',
    ),
    minEntropy: 3.5,
    isGuess: true,
  },
  {
    kind: 'a password',
    words: ['--'],
    pattern: new RegExp(
      `[ \\t]--(?!next-|page-|starting-)[a-z-]{0,30}(?:pass|password|passwd|passphrase|token|secret|api-?key|auth-?key)[ \\t=]["']?${createValueSource(8)}`,
      'g',
    ),
    minEntropy: 2.75,
    isGuess: true,
  },
  createPasswordOptionRule('(?:mysql|mariadb)(?:-?(?:admin|dump|import|check|show|slap|pump))?', '-p', ' -p'),
  createPasswordOptionRule('sshpass', '-p ?', 'sshpass'),
  createPasswordOptionRule('redis-cli', '-a ', 'redis-cli'),
  createPasswordOptionRule('mongo(?:sh|dump|restore|export|import)?', '-p ', 'mongo'),
  createPasswordOptionRule('(?:docker|podman|nerdctl|oras|az|oc|helm registry) login', '-p ', ' login '),
  createPasswordOptionRule('ldap(?:search|add|modify|delete|whoami|passwd)', '-w ', 'ldap'),
  createPasswordOptionRule('sqlcmd', '-P ?', 'sqlcmd'),
  createPasswordOptionRule('7z[az]?', '-p', '7z'),
  createPasswordOptionRule('(?:un)?zip', '-P ', 'zip '),
  createPasswordOptionRule('openssl', '-pass(?:in|out)? pass:', 'pass:'),
  {
    kind: 'a password',
    words: ['curl', 'http ', 'https ', 'xh '],
    pattern:
      /\b(?:curl|https?|xh) (?:(?!\bcurl )[^\r\n]){0,500}?(?:(?<=[ \t])-[A-Za-z]{0,8}[ua]|--user|--auth|--proxy-user)[ =]?["']?[^\s:"'/-][^\s:"'/]{0,100}:([^\s"'$<>{}]{6,200})/g,
    minEntropy: 2.5,
    isGuess: true,
  },
];

/** The kinds of secrets that a text seems to contain, such as "a GitHub token"; never the secrets themselves. */
export function findSecretKinds(text: string): readonly string[] {
  const matching = rules.filter((rule) => !iterateSecretsByRule(rule, text).next().done);
  return [...new Set(matching.map(({ kind }) => kind))];
}

export const findSecretKindsInNote = ({ title, content }: { readonly title: string; readonly content: string }) => [
  ...new Set([...findSecretKinds(title), ...findSecretKinds(content)]),
];

/** The apparent secrets themselves, each once. Not to be shown. */
export const findSecretValuesInNote = ({ title, content }: { readonly title: string; readonly content: string }) => [
  ...new Set([title, content].flatMap((text) => rules.flatMap((rule) => [...iterateSecretsByRule(rule, text)]))),
];

/** Uses `exec`, as `matchAll` copies the pattern each time. */
function* iterateSecretsByRule(
  { words, pattern, minEntropy = 3, isGuess = false }: Rule,
  text: string,
): Generator<string> {
  if (!words.some((word) => text.includes(word))) return;
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const secret = found[1] ?? found[0];
    if (calculateEntropy(secret) >= minEntropy && !(isGuess && isHarmlessValue(secret))) yield secret;
  }
}

/** Only letters, only digits, a property path, the name of a secret, or a placeholder from documentation. */
const isHarmlessValue = (secret: string) =>
  !/[a-z]/i.test(secret) || !/\d/.test(secret) || harmlessPattern.test(secret);
const harmlessPattern =
  /^[a-z_]\w*(\.[a-z_]\w*)+$|^\w{0,9}(?:passw(?:or)?d|secret|token|key)[_-]?\d*$|example|sample|dummy|placeholder|your|change|redact|xxx|\*\*|\.\.\.|…|1234/i;

/** Shannon entropy, in bits per character. */
function calculateEntropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0);
}
