#!/usr/bin/env node
/** Runs the program on the Bun that its package brings. It takes no settings from the folder that it is started in. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const { platform, arch, argv, env } = process;
const isWindows = platform === 'win32';
const systems = [`${isWindows ? 'windows' : platform}-${arch === 'arm64' ? 'aarch64' : arch}`];
if (platform === 'linux') systems.push(`${systems[0]}-musl`);

const { resolve } = createRequire(import.meta.url);
const bun = systems.map(bunFor).find(Boolean);
if (bun === undefined) {
  console.error(`notes: Its Bun for ${systems[0]} is missing: install again, without --omit=optional`);
  process.exit(1);
}
const inPackage = (path) => fileURLToPath(new URL(`../lib/${path}`, import.meta.url));
const flags = ['--no-env-file', '--no-install', `--config=${inPackage('bunfig.toml')}`];
const args = [...flags, inPackage('main.js'), ...argv.slice(2)];

if (process.execve && !isWindows) process.execve(bun, [bun, ...args], env);
const child = spawn(bun, args, { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});

/** The path of a Bun that is installed beside this package. */
function bunFor(system) {
  try {
    return resolve(`@oven/bun-${system}/bin/bun${isWindows ? '.exe' : ''}`);
  } catch {
    return undefined;
  }
}
