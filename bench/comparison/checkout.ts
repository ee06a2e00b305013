/** The program at an earlier commit, for comparison with the current one. */
import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Host } from '../machine/processes.ts';
import { runCommand } from './command.ts';

export interface Checkout {
  /** The folder with its `src` and `node_modules`. */
  readonly root: string;
  /** Which commit it is. */
  readonly name: string;
}

const root = join(import.meta.dir, '..', '..');

/** The working tree, with what is not committed yet. */
export async function describeWorkingTree(host: Host): Promise<Checkout> {
  return { root, name: await runCommand(host, ['git', 'describe', '--always', '--dirty', '--exclude=*']) };
}

/** Copies the files of `commit` into the new folder `target`. Throws when there is no such commit. */
export async function checkOut(host: Host, commit: string, target: string): Promise<Checkout> {
  const git = (...args: string[]) => runCommand(host, ['git', '-C', root, ...args]);
  const hash = await git('rev-parse', '--verify', '--end-of-options', `${commit}^{commit}`);
  mkdirSync(target);
  const archive = `${target}.tar`;
  await git('archive', '--output', archive, hash);
  await runCommand(host, ['tar', '-xf', archive, '-C', target]);
  await installPackages(host, target);
  return { root: target, name: await git('rev-parse', '--short', hash) };
}

/** Links the packages installed here if they are the same, else installs its own. */
async function installPackages(host: Host, target: string): Promise<void> {
  const lock = (folder: string) => Bun.file(join(folder, 'package-lock.json')).text();
  if ((await lock(root)) === (await lock(target))) {
    symlinkSync(realpathSync(join(root, 'node_modules')), join(target, 'node_modules'));
  } else {
    await runCommand(host, ['npm', 'ci', '--omit=dev'], target);
  }
}
