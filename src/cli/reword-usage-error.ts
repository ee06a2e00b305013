import type { Environment } from '../config/settings-table.ts';

/** Command names that users of other programs may type, and their equivalents here. */
const equivalentCommands: Readonly<Record<string, string>> = {
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
export function rewordUsageErrorText(text: string, env: Environment): string {
  const [, name = ''] = /^error: unknown command '(.*)'/.exec(text) ?? [];
  const meant = Object.hasOwn(equivalentCommands, name) ? equivalentCommands[name] : undefined;
  if (meant !== undefined)
    return `notes: Unknown command '${name}'\n(Did you mean ${meant}?${formatArchiveHintOrEmpty(meant)})\n`;
  const reworded = text.replace(/^error: ./, (start) => `notes: ${start.slice(-1).toUpperCase()}`);
  if (/arguments for 'serve'/.test(text) && env['npm_lifecycle_event'])
    return `${reworded}(With npm: npm start -- --port 4000)\n`;
  const [, flag = ''] = /option '(--db|--url)\b/.exec(text) ?? [];
  const example = flagExamples[flag];
  if (example !== undefined) return `${reworded}(Options follow the command: notes list ${example})\n`;
  const isText = /option '--(content|text|body)\b/.test(text);
  return isText ? `${reworded}(Give a text with -m, -f or on standard input)\n` : reworded;
}

/** How to give these flags, which many type before the command. */
const flagExamples: Readonly<Record<string, string>> = {
  '--db': '--db notes.db',
  '--url': '--url http://127.0.0.1:3000',
};

const formatArchiveHintOrEmpty = (command: string) => (command === 'archive' ? ' Notes are archived, not deleted' : '');
