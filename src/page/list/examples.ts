import type { NoteDraft } from '../../core/note.ts';

/** Offered before the first note. */
export const examples: readonly NoteDraft[] = [
  {
    title: 'Summarise for a reader',
    content: 'Summarise the text below in five sentences for {{audience}}.\n\n{{text}}\n',
    category: 'prompts',
    group: 'first',
    color: 'primary',
  },
  {
    title: 'Undo the last commit, keep the changes',
    content: '$ git reset --soft HEAD~1\n',
    category: 'bash-commands',
    group: 'first',
    color: 'warning',
  },
  {
    title: 'Centre anything',
    content: '.box {\n  display: grid;\n  place-items: center;\n}\n',
    category: 'css',
    group: 'first',
    color: 'info',
  },
];
