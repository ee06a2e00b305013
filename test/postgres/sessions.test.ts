/** Sessions of browsers at several instances on one database. */
import { expect, test } from 'bun:test';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createEmptyDatabase } from '../support/postgres/databases.ts';
import { startRelay } from '../support/relay.ts';
import { type Service, startService } from '../support/service.ts';

const token = 'correct-horse-battery';

async function signIn({ url }: Service): Promise<string> {
  const answer = await fetch(`${url}/sign-in`, { method: 'POST', body: new URLSearchParams({ token }) });
  return answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
}

const statusAt = async ({ url }: Service, Cookie: string) =>
  (await fetch(`${url}/api/notes`, { headers: { Cookie } })).status;

test('a session that was signed out at one instance ends at the others too, and no other session does', async () => {
  await using database = await createEmptyDatabase();
  const env = { DATABASE_URL: database.url, ACCESS_TOKEN: token };
  await using one = await startService(env);
  await using other = await startService(env);
  const [cookie, device] = [await signIn(one), await signIn(one)];
  const before = await Promise.all([one, other].map((service) => statusAt(service, cookie)));

  await fetch(`${one.url}/sign-out`, { method: 'POST', headers: { Cookie: cookie } });

  const here = await statusAt(one, cookie);
  expect([before, here]).toEqual([[200, 200], 401]);
  expect(await isEventuallyTrue(async () => (await statusAt(other, cookie)) === 401)).toBe(true);
  expect(await statusAt(other, device)).toBe(200);
});

test('while the database cannot be asked, no session has access', async () => {
  await using database = await createEmptyDatabase();
  const url = new URL(database.url);
  let port = Number(url.port);
  using relay = await startRelay(() => port);
  url.port = String(relay.port);
  await using service = await startService({
    DATABASE_URL: url.href,
    DATABASE_TIMEOUT_MS: '500',
    ACCESS_TOKEN: token,
  });
  const cookie = await signIn(service);
  const page = () => fetch(service.url, { headers: { Cookie: cookie } });
  const before = (await page()).status;

  port = 1; // where nothing listens
  relay.cut();

  expect(before).toBe(200);
  expect(await isEventuallyTrue(async () => (await page()).status === 500)).toBe(true);
});
