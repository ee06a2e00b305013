/** TLS connections to PostgreSQL: only to the right server where that is required, and never without TLS. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { runOn } from '../support/postgres/databases.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/server.ts';
import { serveInVain } from '../support/refusal.ts';
import { draft, jsonBody, startService } from '../support/service.ts';
import { type Certificate, type Certificates, makeCertificates } from './certificates.ts';

let certificates: Certificates;
let [authority, stranger]: readonly (Certificate | undefined)[] = [];
let server: PostgresServer;
beforeAll(async () => {
  certificates = makeCertificates();
  const ours = certificates.authority('our authority');
  [authority, stranger] = [ours, certificates.authority('another authority')];
  const { certificate, key } = certificates.server(ours, ['DNS:localhost']);
  server = await startPostgres({ settings: { ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key } });
}, 60_000);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  certificates[Symbol.dispose]();
});

/** The server's address with this host name and sslmode; `ca` becomes sslrootcert. */
function urlOf(hostname: string, sslmode: string, ca?: Certificate): string {
  const url = Object.assign(new URL(server.url()), { hostname });
  url.searchParams.set('sslmode', sslmode);
  if (ca) url.searchParams.set('sslrootcert', ca.certificate);
  return url.href;
}

const encrypted = () =>
  runOn<{ ssl: boolean }>(
    server.url(),
    `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'notes'`,
  );

describe('serves', () => {
  test.each<[string, () => string, boolean]>([
    ['verify-full, by the name in the certificate', () => urlOf('localhost', 'verify-full', authority), true],
    ['verify-ca, by an address that is not in the certificate', () => urlOf('127.0.0.1', 'verify-ca', authority), true],
    ['require, by any address', () => urlOf('127.0.0.1', 'require'), true],
  ])('%s', async (_, url, isEncrypted) => {
    await using service = await startService({ DATABASE_URL: url() });

    const answer = await fetch(`${service.url}/api/notes`, jsonBody(draft()));

    expect(answer.status).toBe(200);
    expect([...(await encrypted())]).toEqual([{ ssl: isEncrypted }]);
    expect(service.log.filter((line) => line.includes('"warn"'))).toEqual([]); // no warning on loopback
  });
});

describe('refuses to start', () => {
  test.each<[string, () => string]>([
    ['verify-full, by another name than in the certificate', () => urlOf('127.0.0.1', 'verify-full', authority)],
    ['verify-full, where another authority is trusted', () => urlOf('localhost', 'verify-full', stranger)],
    ["verify-full, where the system's authorities are trusted", () => urlOf('localhost', 'verify-full')],
    ['verify-ca, where another authority is trusted', () => urlOf('127.0.0.1', 'verify-ca', stranger)],
  ])(
    '%s',
    async (_, url) => {
      const { code, stdout, stderr, ms } = await serveInVain({ DATABASE_URL: url() });

      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^notes: Cannot use postgres:\/\/\S+: .*certificate.*\n$/i);
      expect(ms).toBeLessThan(15_000);
    },
    60_000,
  );
});
