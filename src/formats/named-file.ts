import type { NoteDraft } from '../domain/note.ts';

/** What files with these endings hold. */
const endings: readonly (readonly [ending: RegExp, category: NoteDraft['category']])[] = [
  [/\.(css|scss|sass|less)$/i, 'css'],
  [/\.(sh|bash|zsh|fish)$/i, 'bash-commands'],
  [/\.prompt$/i, 'prompts'],
];

/** The category of a text in a file with this name; undefined where its ending says none. */
export const categoryOfFile = (name: string): NoteDraft['category'] | undefined =>
  endings.find(([ending]) => ending.test(name))?.[1];

/** The name of a file without folder and ending. */
export const titleOfFile = (path: string): string => path.replace(/^.*[\\/]/s, '').replace(/(?<=.)\.[^.]+$/, '');
