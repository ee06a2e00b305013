/** Keys, wherever the focus is: see keymap.ts. */
import { dialog } from '../state/dialog.ts';
import { isBoard, isCovered } from '../state/layout.ts';
import { hasNoNotes } from '../state/notes.ts';
import { characterKeys } from '../state/settings.ts';
import { type Command, type Commands, commandOf, keyName, valuesOf } from './keymap.ts';

/** In ms. Within this time after `g` or `c`, a number stands for a group or a color. */
const chordMs = 1_500;
let chordSince = Number.NEGATIVE_INFINITY;
let chordKey = '';

const isWithin = (target: EventTarget | null, selector: string) =>
  target instanceof Element && target.closest(selector) !== null;

/** Form controls handle keys themselves. */
const isTyping = (target: EventTarget | null) => isWithin(target, 'form, select, textarea, input:not([type=checkbox])');

/** Buttons and links handle Enter themselves, except the link of a row. */
const handlesEnter = (target: EventTarget | null) => isWithin(target, 'button, a:not([data-row]), input');

/** The arrow keys scroll code. */
const scrollsByArrows = (target: EventTarget | null) => isWithin(target, '[role=region][tabindex="0"]');

/** Character keys are commands in the list, in a note and before the first note; elsewhere the search takes them. */
const isInNotes = (target: EventTarget | null) => isCovered.value || hasNoNotes.value || isWithin(target, 'main');

/** These commands apply to the board, while one of its rows has the focus. */
const isOfBoard = (name: string) => name.endsWith('←') || name.endsWith('→');

/** Elsewhere, these keys select text. */
const isOfList = (name: string) => /^Shift.[↓↑]|Ctrl.A/.test(name);

const isArrow = (name: string) => name === '↓' || name === '↑';

/** Keys that type a character, alone or after `c` or `g`. */
const isCharacterKey = (name: string) => /^([cg] )?[!-~]$/.test(name);

let registered: Commands | undefined;

/** Runs a command as its key does. */
export const runCommand = (command: Command): void => registered?.[command](undefined);

/** Runs commands by their keys. */
export function listenToKeys(commands: Commands): void {
  registered = commands;
  window.addEventListener('keydown', hideComposed, { capture: true });
  window.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || isAltKey(event)) return;
    const name = nameWithChord(event);
    const command = commandOf.get(name);
    if (command === undefined || !applies(command, name, event)) return typeIntoSearch(event);
    event.preventDefault();
    if (!event.repeat || isMove(command)) commands[command](argumentOf(command, name));
  });
}

/**
 * Keeps keys of an input method from all fields and commands. Safari sends the one that ends a composition afterwards,
 * with the code 229.
 */
function hideComposed(event: KeyboardEvent): void {
  if (!event.isComposing && event.keyCode !== 229) return;
  event.stopPropagation();
  if (event.key === 'Escape') event.preventDefault(); // which would close a dialog
}

function typeIntoSearch({ key, ctrlKey, metaKey, target }: KeyboardEvent): void {
  const isCharacter = [...key].length === 1 && key !== ' ' && !ctrlKey && !metaKey;
  if (isCharacter && characterKeys.value && dialog.value === undefined && !isTyping(target) && !isInNotes(target)) {
    document.querySelector<HTMLElement>('#search')?.focus();
  }
}

/** Alt and AltGr type characters or open browser menus. */
const isAltKey = (event: KeyboardEvent) => event.altKey || event.getModifierState('AltGraph');

/** Only these commands repeat while a key is held down. */
const isMove = (command: Command) => ['down', 'up', 'left', 'right', 'selectDown', 'selectUp'].includes(command);

function nameWithChord(event: KeyboardEvent): string {
  const name = keyName(event);
  if (name === 'Shift') return name;
  const chord = event.timeStamp - chordSince < chordMs ? `${chordKey} ` : '';
  const isFirst = /^[cg]$/.test(name) && isInNotes(event.target) && !isTyping(event.target);
  chordSince = isFirst ? event.timeStamp : Number.NEGATIVE_INFINITY;
  chordKey = name;
  return chord + name;
}

function applies(command: Command, name: string, { target }: KeyboardEvent): boolean {
  if (name === 'Ctrl+K') return true;
  if (dialog.value !== undefined) return command === 'back' && document.querySelector('dialog[open]') === null;
  if (isWithin(target, 'option')) return false; // Esc closes the list of a select
  if (isTyping(target)) return command === 'back' || name === 'Ctrl+Shift+K';
  if (name.endsWith('Enter') && handlesEnter(target)) return false;
  if (isMove(command) && (isCovered.value || (isArrow(name) && scrollsByArrows(target)))) return false;
  if (isOfList(name) && !isWithin(target, '.list-pane')) return false;
  if (isOfBoard(name) && !(isBoard.value && isWithin(target, '.row'))) return false;
  if (!isCharacterKey(name)) return true;
  return characterKeys.value && (command === 'search' || isInNotes(target));
}

/** The value of the keys `1` to `7`, `g 1` to `g 5` and `c 1` to `c 8`. */
const argumentOf = (command: Command, name: string) => valuesOf[command]?.[Number(name.at(-1)) - 1];
