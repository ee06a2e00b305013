/** Drafts of notes from real text: what the packages in node_modules bring along, cut into pieces by a seeded dice. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { categories, colors, groups, type NoteDraft, type NoteFilter } from '../../src/core/note.ts';
import { createDice, type Dice } from './dice.ts';

const packages = join(import.meta.dir, '..', '..', 'node_modules');

/** The files whose text fits a category. */
const sources = {
  css: '{swagger-ui-dist,playwright-core}/**/*.css',
  'host-town': '*/{CHANGELOG,HISTORY,CONTRIBUTING,SECURITY}.md',
  prompts: 'pino/docs/*.md',
  notes: '*/{README,Readme,readme}.md',
  'chat-tool': '@biomejs/biome/README*.md',
  'editor-chats': '{commander,semver,chalk}/**/*.js',
  'bash-commands': '{playwright-core,pino,thread-stream}/**/*.sh',
} as const satisfies Record<NoteDraft['category'], string>;

/** The filter of the small list, and how many of the drafts match it. */
export const smallList = { category: 'notes', group: 'third', archived: false } as const satisfies NoteFilter;
export const smallListPath = `/api/notes?${new URLSearchParams({ ...smallList, archived: String(smallList.archived) })}`;
export const smallListLength = 20;

const seed = 20_240_229;
const contentBytes = { min: 250, max: 550 };

/** `count` drafts, always the same for the same packages. Exactly `smallListLength` of them are in the small list. */
export function makeDrafts(count: number): NoteDraft[] {
  const dice = createDice(seed);
  const others = categories
    .flatMap((category) => groups.map((group) => ({ category, group })))
    .filter((cell) => !isInSmallList(cell));
  const cells = Array.from({ length: count }, (_, n) => (n < smallListLength ? smallList : dice.pick(others)));
  const texts = new Map(categories.map((category) => [category, textOf(category)]));
  return dice.shuffle(cells).map(({ category, group }) => {
    const content = pieceOf(texts.get(category) ?? Buffer.alloc(0), dice);
    return { title: titleOf(content), content, category, group, color: dice.pick(colors) };
  });
}

export const isInSmallList = ({ category, group }: Pick<NoteDraft, 'category' | 'group'>) =>
  category === smallList.category && group === smallList.group;

function textOf(category: NoteDraft['category']): Buffer {
  const files = [...new Bun.Glob(sources[category]).scanSync({ cwd: packages })].sort();
  const text = Buffer.concat(files.map((file) => readFileSync(join(packages, file))));
  if (text.length < 2 * contentBytes.max) throw new Error(`There is too little text for ${category}: run "npm ci"`);
  return text;
}

/** About 400 bytes from somewhere in the text, without the halves of characters and words at both ends. */
function pieceOf(text: Buffer, dice: Dice): string {
  for (;;) {
    const length = dice.between(contentBytes.min, contentBytes.max);
    const start = dice.between(0, text.length - length);
    const piece = text.toString('utf8', start, start + length).replaceAll(/^\uFFFD+|\uFFFD+$/g, '');
    const trimmed = piece.replace(/^\S{1,20}\s/, '').trim();
    if (/\w/.test(trimmed) && !trimmed.includes('\0')) return trimmed;
  }
}

/** The first line that says something, as a person would name the note. */
function titleOf(content: string): string {
  const words = content.split('\n').map((line) => line.replace(/^[^\p{L}\p{N}]+/u, '').trim());
  const line = words.find((text) => text.length > 3) ?? 'Untitled';
  return /^.{1,60}/u.exec(line)?.[0].trim() ?? 'Untitled';
}
