import type { NoteDraft } from '../core/note.ts';

/** Categories by file ending. */
const endings: readonly (readonly [ending: RegExp, category: NoteDraft['category']])[] = [
  [/\.(css|scss|sass|less)$/i, 'css'],
  [/\.(sh|bash|zsh|fish)$/i, 'bash-commands'],
  [/\.prompt$/i, 'prompts'],
];

/** The category of a file by its ending; undefined if it has none. */
export const categoryOfFile = (name: string): NoteDraft['category'] | undefined =>
  endings.find(([ending]) => ending.test(name))?.[1];

/** The file name without folder and ending. */
export const titleOfFile = (path: string): string => path.replace(/^.*[\\/]/s, '').replace(/(?<=.)\.[^.]+$/, '');
