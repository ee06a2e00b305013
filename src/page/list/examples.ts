import type { NoteDraft } from '../../core/note.ts';

/** An example of each category, offered while there are no notes. */
export const examples: readonly NoteDraft[] = [
  {
    title: 'Centre anything',
    content: '.box {\n  display: grid;\n  place-items: center;\n}\n',
    category: 'css',
    group: 'first',
    color: 'info',
  },
  {
    title: 'Build machine',
    content: 'host build.example\nuser deploy\nport 22\n',
    category: 'host-town',
    group: 'first',
    color: 'neutral',
  },
  {
    title: 'Summarise for a reader',
    content: 'Summarise the text below in five sentences for {{audience}}.\n\n{{text}}\n',
    category: 'prompts',
    group: 'first',
    color: 'primary',
  },
  {
    title: 'Before a release',
    content: '- [ ] all tests are green\n- [ ] the change log is written\n- [ ] somebody else has tried it\n',
    category: 'notes',
    group: 'first',
    color: 'success',
  },
  {
    title: 'Why is my index not used?',
    content:
      '**Q:** The index on `email` is ignored by `lower(email) = …`. Why?\n\n**A:** The index holds `email`, not `lower(email)`. Make one on the expression:\n\n```sql\nCREATE INDEX ON people (lower(email));\n```\n',
    category: 'chat-tool',
    group: 'first',
    color: 'secondary',
  },
  {
    title: 'Rename a symbol everywhere',
    content:
      '**Me:** Rename `getUser` to `findUser`, tests too.\n\n**Editor:** Done in 4 files. One call was in a template:\n\n```css\n.find-user { color: inherit; }\n```\n',
    category: 'editor-chats',
    group: 'first',
    color: 'accent',
  },
  {
    title: 'Undo the last commit, keep the changes',
    content: '$ git reset --soft HEAD~1\n',
    category: 'bash-commands',
    group: 'first',
    color: 'warning',
  },
];
