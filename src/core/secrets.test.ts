import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Glob } from 'bun';
import { createCorpus } from '../../test/support/data/corpus.ts';
import { createHarmlessLines, createSecretLines } from '../../test/support/data/secret-lines.ts';
import { createSeededRandom } from '../../test/support/random.ts';
import { findSecretKinds, findSecretKindsInNote } from './secrets.ts';

const packages = join(import.meta.dir, '../../node_modules');

const letters = 'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUxQ7rB2mZs9DvYh3GtKe8RjLqC1XoF6iNbTzAyMgHdSuEpVw';
/** Looks like a secret; assembled here, so that scanners do not report this file as a leak. */
const made = (prefix: string, length: number) => prefix + letters.repeat(3).slice(0, length);

describe('secrets are reported by kind', () => {
  test.each([
    ['a GitHub token', `export GITHUB_TOKEN=${made('ghp_', 36)}`],
    ['a GitHub token', made('github_pat_', 82)],
    ['an AWS access key', `aws_access_key_id = ${['AKIA', 'WXTE6RZ34LZQ7BPH'].join('')}`],
    ['a GitLab token', made('glpat-', 20)],
    ['a Slack token', made(['xoxb', '123456789012', '123456789012', ''].join('-'), 24)],
    ['an Anthropic key', `ANTHROPIC_API_KEY="${made('sk-ant-api03-', 95)}"`],
    ['an OpenAI key', made('sk-proj-', 80)],
    ['an OpenAI key', `${made('sk-', 20)}T3BlbkFJ${letters.slice(20, 40)}`],
    ['a Google key', `https://maps.example/?key=${made('AIza', 35)}`],
    ['a Stripe key', made('sk_live_', 24)],
    ['an npm token', `//registry.example/:_authToken=${made('npm_', 36)}`],
    ['a SendGrid key', `${made('SG.', 22)}.${letters.slice(0, 43)}`],
    ['a JSON Web Token', `${made('eyJ', 33)}.${made('eyJ', 60)}.${letters.slice(0, 43)}`],
    ['a private key', `-----BEGIN RSA PRIVATE KEY-----\n${letters}\n${letters}\n-----END RSA PRIVATE KEY-----`],
    ['a private key', `"-----BEGIN PRIVATE KEY-----\\n${letters}\\n-----END PRIVATE KEY-----\\n"`],
    ['a password', 'DB_PASSWORD=tr0ub4dor&3'],
    ['a password', '{ "password": "k7#vPq2!zm" }'],
    ['a password', "curl -u ada:k7vPq2zm9 'https://host/x'"],
    ['a password in an address', 'psql postgres://ada:k7vPq2zm9@db.internal:5432/notes'],
    ['a key or token', `API_KEY: ${made('', 32)}`],
    ['a key or token', `curl -H "Authorization: Bearer ${made('', 40)}" https://host`],
  ])('%s (%#)', (kind, text) => {
    expect(findSecretKinds(text)).toContain(kind);
    expect(findSecretKindsInNote({ title: text, content: 'text' })).toContain(kind);
    expect(findSecretKinds(`Text before.\n${text}\nand behind`)).toContain(kind);
  });

  test('once per kind, and never the secret itself', () => {
    const text = `${made('ghp_', 36)}\n${made('ghp_', 37)}\n${made('glpat-', 20)}`;

    expect(findSecretKinds(text)).toEqual(['a GitHub token', 'a GitLab token']);
  });
});

describe('what is no secret is left alone', () => {
  test.each([
    'password: ********',
    'Ask for the password, then reset it.',
    'password = process.env.DB_PASSWORD1',
    'const password = hash2(user1);',
    'PASSWORD=$DB_PASSWORD_2',
    'PASSWORD={{password2}}',
    'password: your-password-123',
    'postgres://user:password@localhost/db',
    `postgres://ada:\${PGPASSWORD1}@localhost/db`,
    `token: \${{ secrets.GITHUB_TOKEN }}`,
    'API_KEY=your_api_key_goes_here_123',
    'AKIAIOSFODNN7EXAMPLE',
    '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----',
    '"integrity": "sha512-wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUxQ7rB2mZs9DvYh3GtKe8RjLqC1XoF6iNbTz=="',
    'git checkout 0123456789abcdef0123456789abcdef01234567',
    'Act as a reviewer. Never print a secret: name the key and the token type only.',
  ])('%s', (text) => {
    expect(findSecretKinds(text)).toEqual([]);
  });

  test('no note of the corpus that the benchmarks use is flagged', () => {
    expect(createCorpus(10_000).filter((note) => findSecretKindsInNote(note).length > 0)).toEqual([]);
  });

  test('no documentation of an installed package is flagged', async () => {
    const pages = [...new Glob('*/{README,CHANGELOG,HISTORY,SECURITY}.md').scanSync(packages)];
    const texts = await Promise.all(pages.map((page) => Bun.file(join(packages, page)).text()));

    expect(pages.length).toBeGreaterThan(100);
    expect(texts.flatMap(findSecretKinds)).toEqual([]);
  });
});

test.each([1, 2, 3, 4, 5])(
  'of 100 lines with secrets at most 3 are missed, and of 100 without none is flagged (%d)',
  (seed) => {
    const secrets = createSecretLines(createSeededRandom(seed)).map(({ text }) => text);
    const harmless = createHarmlessLines(createSeededRandom(seed));

    expect([secrets.length, harmless.length]).toEqual([100, 100]);
    expect(harmless.filter((text) => findSecretKinds(text).length > 0)).toEqual([]);
    expect(secrets.filter((text) => findSecretKinds(text).length === 0).length).toBeLessThanOrEqual(3);
  },
);

test.each([
  'a.'.repeat(1e6),
  'eyJa'.repeat(1e6),
  '://a:'.repeat(1e6),
  '-----BEGIN PRIVATE KEY-----'.repeat(3e5) + letters,
  'curl -u '.repeat(1e5),
  'curl -abcdefgu '.repeat(1e5),
  'mysql -p'.repeat(1e5),
  ' --password '.repeat(1e5),
  'config set token'.repeat(1e5),
  `M1${'a'.repeat(22)}.`.repeat(5e4),
])('a long text does not take a time that grows with its square, which would be hours (%#)', (text) => {
  expect(findSecretKinds(text).length).toBeLessThan(text.length);
});
