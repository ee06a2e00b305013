/** The fields a client sets and their values. Separate from the schemas, which the page does not load. */
export const categories = [
  'css',
  'host-town',
  'prompts',
  'notes',
  'chat-tool',
  'editor-chats',
  'bash-commands',
] as const;
export const groups = ['first', 'second', 'third', 'fourth', 'fifth'] as const;
export const colors = ['primary', 'secondary', 'accent', 'neutral', 'info', 'success', 'warning', 'error'] as const;

/** The fields with fixed values. */
export const fieldValues = { category: categories, group: groups, color: colors } as const;
export const valueFields = ['category', 'group', 'color'] as const;
export type ValueField = (typeof valueFields)[number];

/** In the order in which errors are reported. Not made from `valueFields`, as bundlers keep what has a spread. */
export const draftFields = ['title', 'content', 'category', 'group', 'color'] as const;

/** The fields that are true or false. */
export const flagFields = ['archived'] as const;
export type FlagField = (typeof flagFields)[number];

/** What a new note has that nobody chose. */
export const draftDefaults = { category: 'notes', group: 'first', color: 'neutral' } as const;
