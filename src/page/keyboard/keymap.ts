/** All keys. The listener, tooltips, the help and a test are derived from this list. */
import { categories, colors, fieldValues, groups } from '../../core/enums.ts';

export const keymap = {
  search: { keys: ['/', 'Ctrl+K'], label: 'Search' },
  down: { keys: ['j', '↓'], label: 'Next note' },
  up: { keys: ['k', '↑'], label: 'Previous note' },
  last: { keys: ['G'], label: 'Last note, or end of the note' },
  scrollDown: { keys: ['Space'], label: 'Scroll the shown note down' },
  scrollUp: { keys: ['Shift+Space'], label: 'Scroll the shown note up' },
  board: { keys: ['b'], label: 'Show the board, or the list' },
  left: { keys: ['←'], label: 'Board: left' },
  right: { keys: ['→'], label: 'Board: right' },
  open: { keys: ['o', 'Ctrl+Enter'], label: 'Open the note' },
  copy: { keys: ['Enter'], label: 'Copy' },
  copyRaw: { keys: ['Shift+Enter'], label: 'Copy exactly' },
  nextMatch: { keys: ['F3', 'Ctrl+G'], label: 'Next match in the note' },
  previousMatch: { keys: ['Shift+F3', 'Ctrl+Shift+G'], label: 'Previous match in the note' },
  nextHeading: { keys: [']', '.'], label: 'Next heading or turn of a chat' },
  previousHeading: { keys: ['[', ','], label: 'Previous heading or turn of a chat' },
  link: { keys: ['l'], label: 'Copy link' },
  category: {
    keys: categories.map((_, index) => String(index + 1)),
    label: 'Filter by category; in a note or selection, set it',
  },
  group: { keys: groups.map((_, index) => `g ${index + 1}`), label: 'Filter by group; in a note or selection, set it' },
  clear: { keys: ['0'], label: 'Clear search and filters' },
  palette: { keys: ['Ctrl+Shift+K', '>'], label: 'All commands' },
  back: { keys: ['Esc'], label: 'Back' },
  create: { keys: ['n'], label: 'New note' },
  edit: { keys: ['e'], label: 'Edit' },
  duplicate: { keys: ['d'], label: 'Duplicate' },
  history: { keys: ['h'], label: 'History' },
  undo: { keys: ['z', 'Ctrl+Z'], label: 'Undo' },
  select: { keys: ['x'], label: 'Select' },
  selectDown: { keys: ['Shift+↓'], label: 'Select downwards' },
  selectUp: { keys: ['Shift+↑'], label: 'Select upwards' },
  selectAll: { keys: ['Ctrl+A'], label: 'Select all' },
  archive: { keys: ['a', 'Delete'], label: 'Archive or unarchive' },
  pin: { keys: ['p'], label: 'Pin' },
  color: { keys: colors.map((_, index) => `c ${index + 1}`), label: 'Color' },
  moveLeft: { keys: ['Shift+←'], label: 'Board: move to the left' },
  moveRight: { keys: ['Shift+→'], label: 'Board: move to the right' },
  export: { keys: ['s'], label: 'Export to a file' },
  help: { keys: ['?'], label: 'Settings and keys' },
} as const satisfies Record<string, { keys: readonly string[]; label: string }>;

export type Command = keyof typeof keymap;

export const commandValues: Readonly<Partial<Record<Command, readonly string[]>>> = fieldValues;

/** The action of each command. `value`: the chosen value, for commands with a key per value. */
export type CommandActions = Readonly<Record<Command, (value: string | undefined) => void>>;

const isCommand = (name: string): name is Command => Object.hasOwn(keymap, name);

export const formatTooltip = (command: Command, label: string = keymap[command].label) =>
  `${label} (${keymap[command].keys.join(' or ')})`;

/** Where there is only a finger. A desktop without a mouse has no pointer at all, but it has keys. */
export const isTouchDevice = (): boolean => matchMedia('(hover: none) and (pointer: coarse)').matches;

/** The name of the help; touch devices have no keys. */
export const getHelpDialogTitle = () => (isTouchDevice() ? 'Settings' : keymap.help.label);

export const commandNames = Object.keys(keymap).filter(isCommand);

export const commandsByKey: ReadonlyMap<string, Command> = new Map(
  commandNames.flatMap((command) => keymap[command].keys.map((key) => [key, command] as const)),
);

const specialKeyNames: Readonly<Record<string, string>> = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  ' ': 'Space',
};

export function formatPressedKey(event: KeyboardEvent): string {
  const key = getKeyCharacter(event);
  const shift = event.shiftKey ? 'Shift+' : '';
  if (event.ctrlKey || event.metaKey) return `Ctrl+${shift}${key.length === 1 ? key.toUpperCase() : key}`;
  const name = specialKeyNames[key] ?? key;
  return /^(Enter|Arrow|F3| )/.test(key) ? `${shift}${name}` : name;
}

/** Whether a key goes to the next entry below a field, 1, or to the previous one, -1. */
export function findMoveByKey({ key, ctrlKey, metaKey, shiftKey }: KeyboardEvent): 1 | -1 | undefined {
  const letter = ctrlKey && !metaKey && !shiftKey ? key.toLowerCase() : '';
  if (key === 'ArrowDown' || letter === 'j' || letter === 'n') return 1;
  return key === 'ArrowUp' || letter === 'p' ? -1 : undefined;
}

const otherScriptPattern = /^(?!\p{Script=Latin})\p{L}$/u;

/** Regardless of Caps Lock; the position of the key counts for other scripts, and for digits on Shift. */
function getKeyCharacter({ key, code, shiftKey }: KeyboardEvent): string {
  const [, letter, digit] = /^(?:Key([A-Z])|Digit(\d))$/.exec(code) ?? [];
  if (letter && otherScriptPattern.test(key)) return letter.toLowerCase();
  if (digit && !shiftKey && !commandsByKey.has(key)) return digit;
  return key.length === 1 && !shiftKey ? key.toLowerCase() : key;
}
