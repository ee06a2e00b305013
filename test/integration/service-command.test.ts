/** `notes service` on a real systemd: a user instance, in a namespace that ends with it. */
import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { program, run, temporaryFolder } from '../support/service.ts';

const namespace = ['unshare', '--mount', '--pid', '--fork', '--mount-proc', '--kill-child'];
const instance = '/lib/systemd/systemd';

const reason = !existsSync(instance)
  ? 'no systemd is installed'
  : Bun.which('unshare') === null || Bun.spawnSync([...namespace, 'true']).exitCode !== 0
    ? 'no namespace can be made'
    : undefined;
if (reason !== undefined) console.log(`systemd is not tried: ${reason}`);

/** Runs a script beside a newly started systemd, and returns its output in lines. */
function besideSystemd(home: string, script: string): string[] {
  const begin = `mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system $XDG_RUNTIME_DIR
${instance} --user --log-level=err &
until systemctl --user daemon-reload 2>/dev/null; do :; done
notes() { ${program.map((word) => `'${word}'`).join(' ')} "$@" 2>&1; }
at() { until curl -s -o /dev/null "http://127.0.0.1:$1/healthz"; do sleep 0.05; done; echo "http://127.0.0.1:$1/api/notes"; }
`;
  const env = { HOME: home, PATH: process.env['PATH'] ?? '', XDG_RUNTIME_DIR: '/run/user/0' };
  const { stdout } = Bun.spawnSync([...namespace, 'timeout', '30', 'bash', '-c', begin + script], {
    env,
    stderr: 'inherit',
  });
  return stdout.toString().trim().split('\n');
}

/** A port that was free a moment ago. */
function freePort(): number {
  using server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  return server.port;
}

test.skipIf(reason !== undefined)(
  'systemd starts the service, restarts it on a new install, and stops it for good',
  () => {
    using home = temporaryFolder();
    const unit = join(home.path, '.config/systemd/user/notes.service');
    const [first, second] = [freePort(), freePort()];

    const said = besideSystemd(
      home.path,
      `notes service install --port ${first} > /dev/null; notes service status
at ${first} > /dev/null; notes add -m 'kept %h $HOME' First
cd; echo 0123456789abcdef > token; export ACCESS_TOKEN_FILE=token
notes service install --port ${second}; curl -s "$(at ${second})" -H 'Authorization: Bearer 0123456789abcdef'; echo
curl -s -o /dev/null -w '%{http_code}\n' "$(at ${second})"
notes service uninstall; notes service status; notes list; systemctl --user is-active notes`,
    );

    expect(said[0]).toBe(`running\t${unit}`);
    expect(said[1]).toBe('1');
    expect(said[2]).toBe(`Started by systemd, now and at each login: ${unit}`);
    expect(said[4]).toContain('"content":"kept %h $HOME"');
    expect(said[5]).toBe('401');
    expect(said[6]).toBe(`Stopped, and removed ${unit}`);
    expect(said.slice(7, -3).join('\n')).toStartWith(
      `Not removed:\n  ${home.path}/.local/share/notes  notes and backups`,
    );
    expect(said.at(-3)).toBe(`not installed\t${unit}`);
    expect(said.at(-2)).toContain('First');
    expect(said.at(-1)).toBe('inactive');
  },
  60_000,
);

test("nothing is written without a manager, for wrong settings, or over another program's file", async () => {
  using home = temporaryFolder();
  const env = { HOME: home.path, XDG_RUNTIME_DIR: '/nonexistent', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' };
  const unit = join(home.path, '.config/systemd/user/notes.service');

  const silent = await run(['service', 'install'], env);
  const wrong = await run(['service', 'install', '--port', 'x'], env);
  const postgres = await run(['service', 'install', '--db', 'postgres://a:b@c/d'], env);
  const token = await run(['service', 'install'], { ...env, ACCESS_TOKEN: '0123456789abcdef' });
  const address = await run(['service', 'install'], { ...env, DATABASE_URL: `sqlite:${home.path}/other.db` });
  const isWritten = existsSync(unit);
  mkdirSync(dirname(unit), { recursive: true });
  writeFileSync(unit, '[Service]\n');
  const foreign = await run(['service', 'uninstall'], env);

  const codes = [silent, wrong, postgres, token, address, foreign].map(({ code }) => code);
  expect(codes).toEqual([1, 2, 2, 2, 2, 1]);
  expect(address.stderr).toBe('notes: The service does not read DATABASE_URL of this shell. Name the file with --db\n');
  expect(silent.stderr).toMatch(/^notes: "systemctl --user daemon-reload" exited with code \d+: /);
  expect(wrong.stderr).toContain('--port must be');
  expect(postgres.stderr).not.toContain(':b@');
  expect(isWritten).toBe(false);
  expect(foreign.stderr).toContain(`"notes service install" did not write ${unit}`);
  expect(readFileSync(unit, 'utf8')).toBe('[Service]\n');
});
