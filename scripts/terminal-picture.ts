/** Records the program in a terminal: `bun scripts/terminal-picture.ts` writes docs/pictures/terminal.svg. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NoteDraft, PortableNote } from '../src/core/note.ts';
import { openSqlite } from '../src/store/sqlite/open.ts';
import { program, temporaryFolder } from '../test/support/service.ts';
import type { Cell, CellStyle, Screen } from '../test/support/terminal/screen.ts';
import { keys, Terminal } from '../test/support/terminal/terminal.ts';

const columns = 84;
const rows = 9;

const hour = 3_600_000;

/** The hours since the last change, title, content, category and color of each note. */
const notes: readonly (readonly [number, string, string, NoteDraft['category'], NoteDraft['color']])[] = [
  [2, 'Undo the last commit', 'git reset --soft HEAD~1', 'bash-commands', 'warning'],
  [5, 'Git: the way back', 'Look before you reset: git reflog', 'notes', 'success'],
  [26, 'Commits of one file', 'git log --follow --patch {{file}}', 'bash-commands', 'info'],
  [80, 'Delete branches that are merged', 'git branch --merged | xargs git branch -d', 'bash-commands', 'error'],
  [200, 'Review a change', 'Review this git diff as {{role}} would', 'prompts', 'primary'],
  [900, 'Find big files', 'find . -type f -size +10M', 'bash-commands', 'accent'],
  [1900, 'Undo a typo in the last command', '^teh^the', 'bash-commands', 'secondary'],
];

const kept: readonly PortableNote[] = notes.map(([hours, title, content, category, color]) => {
  const time = new Date(Date.now() - hours * hour).toISOString();
  return { title, content, category, group: 'first', color, archived: false, createdAt: time, updatedAt: time };
});

interface Frame {
  readonly svg: string;
  readonly seconds: number;
}

/** Frames: a list, the picker, the typed query, and the picked command. */
async function record(home: string): Promise<Frame[]> {
  const env = await settle(home);
  await using terminal = new Terminal(['bash', '--rcfile', join(home, 'bashrc'), '-i'], {
    columns,
    rows,
    env,
    cwd: home,
  });
  const { screen } = terminal;
  await terminal.shows('$');
  terminal.press('notes ls git\r');
  await terminal.shows(/Review a change.*\n\$/);
  const list = drawn(screen, 3);
  terminal.press(keys.pick);
  await terminal.shows('Find big files');
  const picking = drawn(screen, 2);
  terminal.press('undo comit');
  await terminal.shows(/Search: undo comit[\s\S]*● ■ Undo the last/);
  const typed = drawn(screen, 2);
  terminal.press(keys.enter);
  await terminal.shows('$ git reset --soft HEAD~1');
  return [list, picking, typed, drawn(screen, 4)];
}

/** Creates a home with the program, notes, and a shell with Ctrl+G. Returns its environment. */
async function settle(home: string): Promise<Record<string, string>> {
  const path = join(home, 'notes.db');
  await using store = await openSqlite({ path });
  await store.merge(kept);
  const bin = join(home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'notes'), `#!/bin/sh\nexec ${program.map((word) => `'${word}'`).join(' ')} "$@"\n`);
  chmodSync(join(bin, 'notes'), 0o755);
  writeFileSync(join(home, 'bashrc'), `PS1='$ '\neval "$(notes widget bash)"\n`);
  return { PATH: `${bin}:${process.env['PATH']}`, HOME: home, DATABASE_URL: `sqlite:${path}` };
}

const cell = { width: 8.4, height: 19 };
const margin = 16;

function drawn(screen: Screen, seconds: number): Frame {
  const lines = screen.cells.map((row, index) => `<text y="${y(index)}">${runsIn(row).map(drawnRun).join('')}</text>`);
  const { row, column } = screen.cursor;
  const cursor = `<rect class="cursor" x="${x(column)}" y="${y(row) - 14}" width="${cell.width}" height="${cell.height - 1}"/>`;
  return {
    seconds,
    svg: (screen.isCursorShown ? cursor : '') + lines.filter((line) => line.includes('tspan')).join('\n'),
  };
}

const x = (column: number) => (margin + column * cell.width).toFixed(1);
const y = (row: number) => margin + 14 + row * cell.height;

interface Run {
  readonly column: number;
  readonly text: string;
  readonly style: CellStyle;
  readonly width: number;
}

/** Runs of adjacent cells with the same style, without trailing blanks. */
function runsIn(row: readonly Cell[]): Run[] {
  const runs: Run[] = [];
  for (const [column, { text, style }] of row.entries()) {
    const last = runs.at(-1);
    const isSame = last !== undefined && JSON.stringify(last.style) === JSON.stringify(style);
    if (isSame) runs[runs.length - 1] = { ...last, text: last.text + text, width: last.width + 1 };
    else runs.push({ column, text, style, width: 1 });
  }
  return runs.filter(({ text }) => text.trim() !== '');
}

function drawnRun({ column, text, style, width }: Run): string {
  const shown = text.trimEnd();
  const { color, bold, dim, underline } = style;
  const classes = [color && `c${color}`, bold && 'bold', dim && 'dim', underline && 'line'].filter(Boolean).join(' ');
  const length = ((width - (text.length - shown.length)) * cell.width).toFixed(1);
  const name = classes === '' ? '' : ` class="${classes}"`;
  return `<tspan x="${x(column)}" textLength="${length}"${name}>${Bun.escapeHTML(shown)}</tspan>`;
}

const colors = {
  light: {
    text: '#24292f',
    ground: '#f6f8fa',
    31: '#cf222e',
    32: '#1a7f37',
    33: '#9a6700',
    34: '#0550ae',
    35: '#8250df',
    36: '#1b7c83',
    90: '#6e7781',
    94: '#218bff',
  },
  dark: {
    text: '#e6edf3',
    ground: '#161b22',
    31: '#ff7b72',
    32: '#3fb950',
    33: '#d29922',
    34: '#58a6ff',
    35: '#bc8cff',
    36: '#39c5cf',
    90: '#8b949e',
    94: '#79c0ff',
  },
} as const;

function rulesFor(scheme: keyof typeof colors): string {
  const { text, ground, ...others } = colors[scheme];
  const rest = Object.entries(others).map(([number, color]) => `.c${number}{fill:${color}}`);
  return `text,.cursor{fill:${text}}.ground{fill:${ground}}${rest.join('')}`;
}

/** An endless animation of the frames; only the last frame with `prefers-reduced-motion`. */
function picture(frames: readonly Frame[]): string {
  const total = frames.reduce((sum, { seconds }) => sum + seconds, 0);
  const timings = frames.map(({ seconds }, index) => {
    const start = frames.slice(0, index).reduce((sum, frame) => sum + frame.seconds, 0);
    const [from, to] = [start, start + seconds].map((time) => `${((100 * time) / total).toFixed(2)}%`);
    const steps = `${index === 0 ? '' : '0%{opacity:0}'}${from}{opacity:1}${to}{opacity:0}100%{opacity:0}`;
    return `@keyframes f${index}{${steps}}.f${index}{animation:f${index} ${total}s step-end infinite}`;
  });
  const width = Math.ceil(2 * margin + columns * cell.width);
  const height = 2 * margin + rows * cell.height;
  const last = frames.length - 1;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>notes ls git lists notes; Ctrl+G picks a command, which then stands on the prompt line</title>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}
.bold{font-weight:bold}.dim{opacity:.65}.line{text-decoration:underline}.cursor{opacity:.6}
${rulesFor('light')}
@media (prefers-color-scheme:dark){${rulesFor('dark')}}
${timings.join('\n')}
@media (prefers-reduced-motion:reduce){.frame{animation:none;opacity:0}.f${last}{opacity:1}}
</style>
<rect class="ground" width="${width}" height="${height}" rx="10"/>
${frames.map(({ svg }, index) => `<g class="frame f${index}">\n${svg}\n</g>`).join('\n')}
</svg>
`;
}

using folder = temporaryFolder();
await Bun.write(join(import.meta.dir, '..', 'docs', 'pictures', 'terminal.svg'), picture(await record(folder.path)));
