/**
 * Dockerfile and the files of Docker Compose, as far as they can be checked without a Docker engine: by a linter, by
 * the schema of Compose, by what the service knows, and by running the health check of the image.
 */
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DCLinter } from 'dclint';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { settings } from '../../src/config/settings-table.ts';
import { runNotesCommand, startService } from '../support/service.ts';

const root = join(import.meta.dir, '..', '..');
const readText = (path: string) => Bun.file(join(root, path)).text();
const dockerfile = await readText('Dockerfile');

/** The names of all variables of the service, with those that name a file. */
const variables = Object.values(settings).flatMap((setting) =>
  'isSecret' in setting ? [setting.variable, `${setting.variable}_FILE`] : [setting.variable],
);

test('Dockerfile has no fault that a linter finds, and sets only variables of the service', () => {
  const pairs = /^ENV (.*)$/m.exec(dockerfile)?.[1]?.split(' ') ?? [];
  const names = pairs.map((pair) => pair.split('=')[0] ?? '');

  expect(validate(dockerfile).map(({ message }) => message)).toEqual([]);
  expect(names).toContain('PORT');
  expect(names.filter((name) => !variables.includes(name))).toEqual([]);
});

test('the health check of the image asks the port that is set, and the address where the service listens', async () => {
  const [, json = '[]'] = /^HEALTHCHECK [^[]*CMD (\[.*\])$/m.exec(dockerfile.replaceAll('\\\n', '')) ?? [];
  const [program, ...args]: string[] = JSON.parse(json);
  await using service = await startService({ HOST: '0.0.0.0' });
  const env = { HOST: '0.0.0.0', PORT: String(service.port), DATABASE_URL: '', BACKUP_DIR: '' };

  const healthy = await runNotesCommand(args, env);
  await service.stop();
  const ended = await runNotesCommand(args, env);

  expect(program).toBe('/notes');
  expect([healthy.code, healthy.stdout]).toEqual([
    0,
    `ok      service      ready at http://127.0.0.1:${service.port}\n`,
  ]);
  expect(ended.code).toBe(1);
});

interface ComposeFile {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly build?: string;
        readonly environment?: Readonly<Record<string, string>>;
        readonly volumes?: readonly string[];
        readonly secrets?: readonly string[];
      }
    >
  >;
  readonly volumes?: Readonly<Record<string, unknown>>;
  readonly secrets?: Readonly<Record<string, unknown>>;
}

const composeFiles = [...new Bun.Glob('compose*.yaml').scanSync(root)].sort();

const parseCompose = async (path: string): Promise<ComposeFile> => parse(await readText(path), { strict: true });

test.each(composeFiles)('%s is valid by the schema of Compose, and has no error that a linter finds', (path) => {
  const linter = new DCLinter({ rules: {}, quiet: true, debug: false, exclude: [] });
  const errors = linter.lintFiles([join(root, path)], false).flatMap(({ messages }) => messages);

  expect(errors.filter(({ type }) => type === 'error')).toEqual([]);
});

test.each(composeFiles)('%s refers only to settings, volumes, secrets and files that exist', async (path) => {
  const { services, volumes = {}, secrets = {} } = await parseCompose(path);
  const mounts = Object.values(services).flatMap((service) => service.volumes?.map((mount) => mount.split(':')[0]));
  const isFolder = (mount: string) => mount.startsWith('./');

  expect(Object.keys(services['notes']?.environment ?? {}).filter((name) => !variables.includes(name))).toEqual([]);
  const named = mounts.filter((mount) => mount !== undefined);
  expect(named.filter((mount) => !isFolder(mount)).sort()).toEqual(Object.keys(volumes).sort());
  expect(named.filter((mount) => isFolder(mount) && !existsSync(join(root, mount)))).toEqual([]);
  const used = Object.values(services).flatMap((service) => service.secrets ?? []);
  expect([...new Set(used)].sort()).toEqual(Object.keys(secrets).sort());
});

test.each(composeFiles)('%s needs a token, and says where to put it', async (path) => {
  const { services } = await parseCompose(path);

  const [, message] = /^\$\{ACCESS_TOKEN:\?(.*)\}$/.exec(services['notes']?.environment?.['ACCESS_TOKEN'] ?? '') ?? [];

  expect(message).toBe('Put a line ACCESS_TOKEN=<token> into .env, as docs/operations/run.md shows');
});

test('compose.yaml publishes the port that the service is told to use, and backs it up to a volume of its own', async () => {
  const { services } = await parseCompose('compose.yaml');
  const [, folder] = /BACKUP_DIR=(\S+)/.exec(dockerfile) ?? [];

  expect(services['notes']).toMatchObject({
    ports: [`127.0.0.1:\${PORT:-3000}:\${PORT:-3000}`],
    environment: { PORT: `\${PORT:-3000}` },
    volumes: ['data:/data', `backups:${folder}`],
  });
});
