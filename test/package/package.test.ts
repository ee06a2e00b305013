/** The npm package, installed from its tarball without Bun, in an empty home. Needs the npm registry. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { createTemporaryFolder, forEachLine, startService } from '../support/service.ts';

const root = join(import.meta.dir, '..', '..');
const tarball = join(root, 'dist', `notes-service-notes-${packageJson.version}.tgz`);
const node = dirname(Bun.which('node') ?? '');
const folder = mkdtempSync(join(tmpdir(), 'notes-test-'));
const globally = join(folder, 'global');
const installed = join(globally, 'bin', 'notes');

/** The npm config for the registry of this machine, which npm would look for below the prefix. */
const globalconfig = Bun.spawnSync(['npm', 'config', 'get', 'globalconfig']).stdout.toString().trim();

/** An environment without Bun on its PATH, with a cache for these tests. */
const clean = (home: string, cache = join(folder, 'cache')) => ({
  PATH: [node, '/usr/bin', '/bin'].join(delimiter),
  HOME: home,
  npm_config_cache: cache,
  npm_config_globalconfig: globalconfig,
});

/** Runs a command to its end in its home. */
async function inHome(command: readonly string[], home: string, env: Record<string, string> = clean(home)) {
  mkdirSync(home, { recursive: true });
  const child = Bun.spawn([...command], { cwd: home, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, stdout, stderr };
}

const succeed = async (...given: Parameters<typeof inHome>): Promise<string> => {
  const { code, stdout, stderr } = await inHome(...given);
  if (code !== 0) throw new Error(`${given[0].join(' ')} ended with ${code}: ${stderr}${stdout}`);
  return stdout;
};

const install = (home: string) => succeed(['npm', 'install', '--global', '--prefix', globally, tarball], home);

beforeAll(async () => {
  await succeed([process.execPath, join(root, 'scripts', 'package', 'package.ts')], folder, {
    ...process.env,
    HOME: folder,
  } as never);
  await install(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

test('contains the program, the client and its types, and no path of the build machine', async () => {
  const names = (await succeed(['tar', '--list', '--file', tarball], folder)).trim().split('\n');
  const texts = await succeed(
    ['tar', '--extract', '--to-stdout', '--file', tarball, 'package/lib', 'package/types'],
    folder,
  );

  expect(new Set(names.map((name) => name.split('/')[1]))).toEqual(
    new Set(['package.json', 'README.md', 'LICENSE', 'bin', 'lib', 'types', 'client.js']),
  );
  expect([texts.includes(root), texts.includes('-worker.ts"')]).toEqual([false, false]);
});

test('stores a first note with npx and the file, with an empty cache', async () => {
  using home = createTemporaryFolder();

  const npx = ['npx', '--yes', `--package=${tarball}`, 'notes', 'add', '-m', 'text', 'First'];
  const added = await succeed(npx, home.path, clean(home.path, join(home.path, 'cache')));

  expect(added).toBe('1\n');
});

test('serves, searches on a thread, and ends on a signal; ignores settings in its working directory', async () => {
  using home = createTemporaryFolder();
  writeFileSync(join(home.path, '.env'), 'PORT=1\nLOG_LEVEL=loud\n');
  writeFileSync(join(home.path, 'bunfig.toml'), 'preload = ["./preload.ts"]\n');
  writeFileSync(join(home.path, 'preload.ts'), 'throw new Error("loaded")\n');
  await using service = await serve(home.path);
  const add = [installed, 'add', '--category', 'css', '-m', 'outline', 'Focus'];
  await succeed(add, home.path);

  const answers = ['/', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/api/search?q=focus'].map((path) =>
    fetch(service.url + path),
  );

  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(await (await fetch(`${service.url}/api/notes`)).json()).toHaveLength(1);
  await install(home.path); // installs again while it runs
  expect((await fetch(`${service.url}/api/notes`)).status).toBe(200);
  expect(await service.stop()).toBe(0);
  expect(await succeed([installed, 'list'], home.path)).toContain('Focus');
});

/** The example of the docs, with the address of a service. */
async function example(url: string): Promise<string> {
  const page = await Bun.file(join(root, 'docs', 'interface.md')).text();
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
  return code.replace('http://127.0.0.1:3000', url);
}

const tsc = join(root, 'node_modules', '.bin', 'tsc');

test.each(['nodenext', 'bundler'])(
  'type-checks and runs the example of the docs, resolved as %s, and rejects a note of wrong fields',
  async (resolution) => {
    using home = createTemporaryFolder();
    await using service = await startService();
    const module = resolution === 'bundler' ? 'preserve' : resolution;
    writeFileSync(join(home.path, 'package.json'), '{ "type": "module" }');
    await succeed(['npm', 'install', '--omit=optional', tarball], home.path);
    writeFileSync(
      join(home.path, 'example.ts'),
      `${await example(service.url)}console.log(best.map(({ title }) => title), total);\n`,
    );
    const flags = [
      '--strict',
      '--target',
      'es2022',
      '--module',
      module,
      '--moduleResolution',
      resolution,
      '--types',
      '*',
    ];

    await succeed([tsc, ...flags, '--ignoreConfig', 'example.ts'], home.path);

    expect(await succeed(['node', 'example.js'], home.path)).toBe("[ 'Focus' ] 1\n");
    const wrong =
      "import { createClient } from '@notes-service/notes';\nawait createClient('').create({ title: 1 });\nexport {};\n";
    writeFileSync(join(home.path, 'wrong.ts'), wrong);
    const { stdout } = await inHome([tsc, ...flags, '--ignoreConfig', 'wrong.ts'], home.path);
    expect(stdout).toContain("Type 'number' is not assignable to type 'string'");
    expect(stdout).not.toContain('node_modules');
  },
);

/** The installed service, on a file in its home and a free port. */
async function serve(home: string) {
  const child = Bun.spawn([installed, 'serve', '--port', '0'], {
    cwd: home,
    env: clean(home),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const url = Promise.withResolvers<string>();
  void forEachLine(child.stdout, (line) => url.resolve(JSON.parse(line).url)).then(() =>
    url.reject(new Error('It ended')),
  );
  const stop = () => {
    child.kill();
    return child.exited;
  };
  return { url: await url.promise, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
}
