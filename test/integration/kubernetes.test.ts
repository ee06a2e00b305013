/** The manifests of deploy/kubernetes: valid by the schemas of Kubernetes, and consistent beyond them. */
import { expect, test } from 'bun:test';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Deployment } from 'kubernetes-types/apps/v1';
import type { Service } from 'kubernetes-types/core/v1';
import { parseAllDocuments } from 'yaml';
import { settings } from '../../src/config/settings-table.ts';
import { createTemporaryFolder } from '../support/service.ts';

const root = join(import.meta.dir, '..', '..');
const folder = join(root, 'deploy', 'kubernetes');

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

const toApiGroup = (apiVersion: string) => (apiVersion.includes('/') ? apiVersion : `core/${apiVersion}`);

async function readManifests(file: string): Promise<Manifest[]> {
  return parseAllDocuments(await Bun.file(join(folder, file)).text(), { strict: true }).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS();
  });
}

const files = [...new Bun.Glob('*.yaml').scanSync(folder)].sort();

test.each(files)('%s has the fields of its kinds, and no others', async (file) => {
  using temporary = createTemporaryFolder();
  symlinkSync(join(root, 'node_modules'), join(temporary.path, 'node_modules'));
  const texts = (await readManifests(file)).map(
    (
      manifest,
      at,
    ) => `import type { ${manifest.kind} as Kind${at} } from 'kubernetes-types/${toApiGroup(manifest.apiVersion)}';
export const manifest${at}: Kind${at} = ${JSON.stringify(manifest)};\n`,
  );
  writeFileSync(join(temporary.path, 'manifests.ts'), texts.join(''));

  const flags = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'preserve', '--ignoreConfig'];
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  const { stdout } = Bun.spawnSync([tsc, ...flags, 'manifests.ts'], { cwd: temporary.path });

  expect(stdout.toString()).toBe('');
});

test.each(files)('%s refers only to labels, ports, volumes and settings that exist', async (file) => {
  const manifests = await readManifests(file);
  const deployment = manifests.find(({ kind }) => kind === 'Deployment') as Deployment;
  const service = manifests.find(({ kind }) => kind === 'Service') as Service;
  const template = deployment.spec?.template;
  const [container] = template?.spec?.containers ?? [];
  const names = (all: readonly { name?: string }[] | undefined) => (all ?? []).map(({ name }) => name ?? '').sort();
  const variables = Object.values(settings).map(({ variable }) => variable as string);

  expect(template?.metadata?.labels).toEqual(deployment.spec?.selector.matchLabels ?? {});
  expect(template?.metadata?.labels).toEqual(service.spec?.selector ?? {});
  expect(names(container?.ports)).toContain(String(service.spec?.ports?.[0]?.targetPort));
  expect(names(container?.volumeMounts)).toEqual(names(template?.spec?.volumes));
  expect(names(container?.env).filter((name) => !variables.includes(name.replace(/_FILE$/, '')))).toEqual([]);
});
