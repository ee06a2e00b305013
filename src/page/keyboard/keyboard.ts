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

const isTyping = (target: EventTarget | null) => isWithin(target, 'form, select, textarea, input:not([type=checkbox])');

/** Character keys are commands in the list, in a note and before the first note; elsewhere the search takes them. */
const isInNotes = (target: EventTarget | null) => isCovered.value || hasNoNotes.value || isWithin(target, 'main');

let registered: Commands | undefined;

export const runCommand = (command: Command): void => registered?.[command](undefined);

export function listenToKeys(commands: Commands): void {
  registered = commands;
  window.addEventListener('keydown', hideComposed, { capture: true });
  window.addEventListener('keydown', (event) => {
    const isAlt = event.altKey || event.getModifierState('AltGraph'); // types characters or opens browser menus
    if (event.defaultPrevented || isAlt) return;
    const name = nameWithChord(event);
    const command = commandOf.get(name);
    if (command === undefined || !applies(command, name, event)) return typeIntoSearch(event);
    event.preventDefault();
    if (!event.repeat || isMove(command)) commands[command](argumentOf(command, name));
  });
}

/** Keys of an input method are no commands. Safari sends the end of a composition afterwards, with the code 229. */
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
  if (name.endsWith('Enter') && isWithin(target, 'button, a:not([data-row]), input')) return false;
  if (isMove(command) && isCovered.value) return false;
  if (/^[↓↑]$/.test(name) && isWithin(target, '[role=region][tabindex="0"]')) return false; // they scroll code
  if (/^Shift.[↓↑]|Ctrl.A/.test(name) && !isWithin(target, '.list-pane')) return false; // they select text
  if (/[←→]$/.test(name) && !(isBoard.value && isWithin(target, '.row'))) return false;
  if (!/^([cg] )?[!-~]$/.test(name)) return true; // types no character
  return characterKeys.value && (command === 'search' || isInNotes(target));
}

/** The value of the keys `1` to `7`, `g 1` to `g 5` and `c 1` to `c 8`. */
const argumentOf = (command: Command, name: string) => valuesOf[command]?.[Number(name.at(-1)) - 1];
