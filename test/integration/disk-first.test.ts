/** What a command prints of a file that a service writes to is on disk before. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import {
  createJsonRequest,
  createTemporaryFolder,
  forEachLine,
  program,
  readNoteBody,
  startService,
} from '../support/service.ts';
import { createHeldSyncs, findObstacleToHeldSyncs } from '../support/system/held-sync.ts';

/** What a program that speaks MCP writes to read note 1. */
const mcpRequests = [
  {
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } },
  },
  { method: 'tools/call', params: { name: 'get', arguments: { id: 1 } } },
];
const mcpInput = mcpRequests.map((request, id) => `${JSON.stringify({ jsonrpc: '2.0', id, ...request })}\n`).join('');

interface Command {
  readonly args: string;
  readonly input?: string;
  /** What it prints of note 1 when that has the title "Zebra". */
  readonly shown: string;
}

const commands: readonly Command[] = [
  { args: 'list', shown: 'Zebra' },
  { args: 'show 1 --json', shown: 'Zebra' },
  { args: 'export -', shown: 'Zebra' },
  { args: 'history 1', shown: '\ttitle' },
  { args: 'archive 99', shown: 'Note with ID 99 not found' },
  { args: 'backup copy.db', shown: '1 note' },
  { args: 'doctor --full', shown: '1 note' },
  { args: 'mcp', input: mcpInput, shown: 'Zebra' },
];

/** Starts a command, and collects what it prints. */
function startCommand({ args, input = '', shown }: Command, cwd: string, settings: Readonly<Record<string, string>>) {
  const child = Bun.spawn([...program, ...args.split(' ')], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, XDG_STATE_HOME: '/dev/null', ...settings },
    stdin: new TextEncoder().encode(input),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const lines: string[] = [];
  const reading = [child.stdout, child.stderr].map((stream) => forEachLine(stream, (line) => lines.push(line)));
  const hasShown = () => lines.some((line) => line.includes(shown));
  return { args, pid: child.pid, hasShown, ended: Promise.all([child.exited, ...reading]) };
}

test.skipIf(findObstacleToHeldSyncs() !== undefined)(
  'while the service waits for the disk, commands that read its file show nothing of it',
  async () => {
    using folder = createTemporaryFolder();
    const syncs = createHeldSyncs(folder.path);
    const settings = { ...syncs.env, DATABASE_URL: `sqlite:${join(folder.path, 'notes.db')}` };
    await using service = await startService(settings);
    await readNoteBody(fetch(`${service.url}/api/notes`, createJsonRequest(createDraft())));
    syncs.hold();
    const update = fetch(`${service.url}/api/notes/1`, createJsonRequest({ id: 1, title: 'Zebra' }, 'PUT'));
    expect(await isEventuallyTrue(() => syncs.waiting().includes(service.process.pid))).toBe(true);

    const started = commands.map((command) => startCommand(command, folder.path, settings));
    await isEventuallyTrue(() => started.every(({ pid, hasShown }) => syncs.waiting().includes(pid) || hasShown()));
    const early = started.filter(({ hasShown }) => hasShown());
    syncs.release();
    await Promise.all([update, ...started.map(({ ended }) => ended)]);

    expect(early.map(({ args }) => args)).toEqual([]);
    expect(started.filter(({ hasShown }) => !hasShown()).map(({ args }) => args)).toEqual([]);
  },
  90_000,
);
