import type { Environment } from '../config.ts';

/** Command names that users of other programs may type, and their equivalents here. */
const commandFor: Readonly<Record<string, string>> = {
  search: 'list',
  find: 'list',
  grep: 'list',
  rm: 'archive',
  remove: 'archive',
  del: 'archive',
  delete: 'archive',
  get: 'show',
  cat: 'show',
  view: 'show',
  cp: 'copy',
  clip: 'copy',
  yank: 'copy',
  undo: 'revert',
  new: 'add',
  create: 'add',
  update: 'edit',
  start: 'serve',
};

/** Rewords a usage error of commander in the style of other errors, with a suggestion. */
export function usageErrorOf(text: string, env: Environment): string {
  const [, name = ''] = /^error: unknown command '(.*)'/.exec(text) ?? [];
  const meant = Object.hasOwn(commandFor, name) ? commandFor[name] : undefined;
  if (meant !== undefined) return `notes: Unknown command '${name}'\n(Did you mean ${meant}?${noteOn(meant)})\n`;
  const reworded = text.replace(/^error: ./, (start) => `notes: ${start.slice(-1).toUpperCase()}`);
  if (/arguments for 'serve'/.test(text) && env['npm_lifecycle_event'])
    return `${reworded}(With npm: npm start -- --port 4000)\n`;
  if (/option '--(db|url)\b/.test(text)) return `${reworded}(Options follow the command: notes list --db notes.db)\n`;
  const isText = /option '--(content|text|body)\b/.test(text);
  return isText ? `${reworded}(Give a text with -m, -f or on standard input)\n` : reworded;
}

const noteOn = (command: string) => (command === 'archive' ? ' Notes are archived, not deleted' : '');
