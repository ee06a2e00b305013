/** TLS connections to PostgreSQL: only to the right server where that is required, and never without TLS. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, chownSync } from 'node:fs';
import { join } from 'node:path';
import { runStatements } from '../support/postgres/databases.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/server.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createJsonRequest, createTemporaryFolder, startService } from '../support/service.ts';
import { startAndExpectFailure } from '../support/start-failure.ts';

/** Paths of PEM files. */
interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

/** User id of a server that root started; PostgreSQL rejects keys that belong to others. */
const nobody = 65_534;

let folder: ReturnType<typeof createTemporaryFolder>;
let [authority, stranger]: readonly (Certificate | undefined)[] = [];
let server: PostgresServer;
beforeAll(async () => {
  folder = createTemporaryFolder();
  chmodSync(folder.path, 0o755); // every user may enter it
  const ours = makeCertificate('ours');
  [authority, stranger] = [ours, makeCertificate('another')];
  const { certificate, key } = makeCertificate(
    ...['server', '-CA', ours.certificate, '-CAkey', ours.key],
    ...['-addext', 'basicConstraints=critical,CA:FALSE', '-addext', 'subjectAltName=DNS:localhost'],
  );
  if (process.getuid?.() === 0) chownSync(key, nobody, nobody);
  server = await startPostgres({ settings: { ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key } });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** An authority, unless the options for `openssl` say otherwise. */
function makeCertificate(name = '', ...options: readonly string[]): Certificate {
  if (Bun.which('openssl') === null) throw new Error('These tests need the program openssl. Install it');
  const files = { certificate: join(folder.path, `${name}.crt`), key: join(folder.path, `${name}.key`) };
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', files.key];
  const made = ['-x509', '-days', '2', '-subj', `/CN=${name}`, '-out', files.certificate];
  const { success, stderr } = Bun.spawnSync(['openssl', 'req', ...made, ...key, ...options]);
  if (!success) throw new Error(`openssl failed: ${stderr}`);
  return files;
}

/** The server's address with this host name and sslmode; `ca` becomes sslrootcert. */
function createUrl(hostname: string, sslmode: string, ca?: Certificate): string {
  const url = Object.assign(new URL(server.url()), { hostname });
  url.searchParams.set('sslmode', sslmode);
  if (ca) url.searchParams.set('sslrootcert', ca.certificate);
  return url.href;
}

const encrypted = () =>
  runStatements<{ ssl: boolean }>(
    server.url(),
    `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'notes'`,
  );

describe('serves', () => {
  test.each<[string, () => string, boolean]>([
    ['verify-full, by the name in the certificate', () => createUrl('localhost', 'verify-full', authority), true],
    [
      'verify-ca, by an address that is not in the certificate',
      () => createUrl('127.0.0.1', 'verify-ca', authority),
      true,
    ],
    ['require, by any address', () => createUrl('127.0.0.1', 'require'), true],
  ])('%s', async (_, url, isEncrypted) => {
    await using service = await startService({ DATABASE_URL: url() });

    const answer = await fetch(`${service.url}/api/notes`, createJsonRequest(createDraft()));

    expect(answer.status).toBe(200);
    expect([...(await encrypted())]).toEqual([{ ssl: isEncrypted }]);
    expect(service.log.filter((line) => line.includes('"warn"'))).toEqual([]); // no warning on loopback
  });
});

describe('refuses to start', () => {
  test.each<[string, () => string]>([
    ['verify-full, by another name than in the certificate', () => createUrl('127.0.0.1', 'verify-full', authority)],
    ['verify-full, where another authority is trusted', () => createUrl('localhost', 'verify-full', stranger)],
    ["verify-full, where the system's authorities are trusted", () => createUrl('localhost', 'verify-full')],
    ['verify-ca, where another authority is trusted', () => createUrl('127.0.0.1', 'verify-ca', stranger)],
  ])('%s', async (_, url) => {
    const { code, stdout, stderr } = await startAndExpectFailure({ DATABASE_URL: url() });

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' }); // nor does it wait for the database
    expect(stderr).toMatch(/^notes: Cannot use postgres:\/\/\S+: .*certificate.*\n$/i);
  });
});
