import { dialog } from '../state/dialog.ts';
import { isBoardShown, isListCovered } from '../state/layout.ts';
import { editedNoteId } from '../state/navigation.ts';
import { noteMatchPosition } from '../state/note-match-position.ts';
import { hasNoNotes } from '../state/notes.ts';
import { hasCharacterKeys } from '../state/settings.ts';
import { openNewNoteWithFields } from '../ui/new-note.ts';
import { type Command, type CommandActions, commandsByKey, commandValues, formatPressedKey } from './keymap.ts';

/** In ms. Within this time after `g` or `c`, a number stands for a group or a color. */
const chordMs = 1_500;
let chordStartedAt = Number.NEGATIVE_INFINITY;
let lastKeyName = '';

const isWithin = (target: EventTarget | null, selector: string) =>
  target instanceof Element && target.closest(selector) !== null;

const isTypingTarget = (target: EventTarget | null) =>
  isWithin(target, 'form, select, textarea, input:not([type=checkbox])');

/**
 * Whether the mouse or a finger acted last. Letters then go to the search. They are commands once one has gone to the
 * list or to a note by keys, which the ring around the focus shows.
 */
let wasPointerUsedLast = false;

function setPointerUsedLast(): void {
  wasPointerUsedLast = true;
}

/** A filter that is pressed by Enter or Space is chosen by keys. */
function updatePointerActed({ key, target }: KeyboardEvent): void {
  const isMove = /^(Esc|Arrow|Tab|Page|Home|End)/.test(key) || (/^(Enter| )/.test(key) && isWithin(target, '.sidebar'));
  if (isMove || isTypingTarget(target)) wasPointerUsedLast = false;
}

/**
 * Character keys are commands in the list, at its filters, in a note and before the first note; elsewhere the search
 * takes them.
 */
const areLettersCommands = (target: EventTarget | null) =>
  hasNoNotes.value || (!wasPointerUsedLast && (isListCovered.value || isWithin(target, 'main, .sidebar')));

let registeredCommands: CommandActions | undefined;

export const runRegisteredCommand = (command: Command): void => registeredCommands?.[command](undefined);

export function listenToKeys(commands: CommandActions): void {
  registeredCommands = commands;
  window.addEventListener('pointerdown', setPointerUsedLast, { capture: true });
  window.addEventListener('keydown', stopComposedKey, { capture: true });
  window.addEventListener('keydown', updatePointerActed, { capture: true });
  window.addEventListener('keydown', (event) => {
    const isAlt = event.altKey || event.getModifierState('AltGraph'); // types characters or opens browser menus
    if (event.defaultPrevented || isAlt) return;
    if (shouldBeginFirstNote(event)) return openNewNoteWithFields({}); // the form takes the letter
    const name = formatKeyAndUpdateChord(event);
    const command = commandsByKey.get(name);
    if (command === undefined || !isCommandApplicable(command, name, event)) return focusSearchForCharacter(event);
    event.preventDefault();
    if (!event.repeat || doesCommandRepeat(command)) commands[command](findCommandValue(command, name));
  });
}

/** Keys of an input method are no commands. Safari sends the end of a composition afterwards, with the code 229. */
function stopComposedKey(event: KeyboardEvent): void {
  if (!event.isComposing && event.keyCode !== 229) return;
  event.stopPropagation();
  if (event.key === 'Escape') event.preventDefault(); // which would close a dialog
}

/** Before the first note there is nothing to find: letters and digits begin it. */
function shouldBeginFirstNote({ key, ctrlKey, metaKey, target }: KeyboardEvent): boolean {
  const isLetter = /^[\p{L}\p{N}]$/u.test(key) && !ctrlKey && !metaKey && hasCharacterKeys.value;
  if (!isLetter || !hasNoNotes.value || dialog.value !== undefined || editedNoteId.value !== undefined) return false;
  return isWithin(target, '#search:placeholder-shown') || !isTypingTarget(target);
}

function focusSearchForCharacter({ key, ctrlKey, metaKey, target }: KeyboardEvent): void {
  const isCharacter = [...key].length === 1 && key !== ' ' && !ctrlKey && !metaKey;
  if (!isCharacter || !hasCharacterKeys.value || dialog.value !== undefined) return;
  if (isTypingTarget(target) || areLettersCommands(target)) return;
  if (!isListCovered.value) document.querySelector<HTMLElement>('#search')?.focus();
  else if (editedNoteId.value === undefined) runRegisteredCommand('search');
}

const isMoveCommand = (command: Command) => ['down', 'up', 'left', 'right', 'selectDown', 'selectUp'].includes(command);

const isScrollCommand = (command: Command) => command === 'scrollDown' || command === 'scrollUp';

const isMatchCommand = (command: Command) => ['nextMatch', 'previousMatch'].includes(command);

const isPlaceCommand = (command: Command) =>
  isMatchCommand(command) || ['nextHeading', 'previousHeading'].includes(command);

/** They act on the note at the cursor of the list, or on the selected ones. */
const noteCommands: ReadonlySet<Command> = new Set([
  'archive',
  'color',
  'copy',
  'copyRaw',
  'duplicate',
  'edit',
  'export',
  'history',
  'link',
  'pin',
  'select',
]);

/** Other commands run once while a key is held down. */
const doesCommandRepeat = (command: Command) =>
  isMoveCommand(command) || isScrollCommand(command) || isPlaceCommand(command);

function formatKeyAndUpdateChord(event: KeyboardEvent): string {
  const name = formatPressedKey(event);
  if (name === 'Shift') return name;
  const chord = event.timeStamp - chordStartedAt < chordMs ? `${lastKeyName} ` : '';
  const isFirst = /^[cg]$/.test(name) && areLettersCommands(event.target) && !isTypingTarget(event.target);
  chordStartedAt = isFirst ? event.timeStamp : Number.NEGATIVE_INFINITY;
  lastKeyName = name;
  return chord + name;
}

function isCommandApplicable(command: Command, name: string, { target }: KeyboardEvent): boolean {
  if (name === 'Ctrl+K') return true;
  if (dialog.value !== undefined) return command === 'back' && document.querySelector('dialog[open]') === null;
  if (isMatchCommand(command)) return noteMatchPosition.value !== undefined;
  if (isWithin(target, 'option')) return false; // Esc closes the list of a select
  if (isTypingTarget(target)) return command === 'back' || name === 'Ctrl+Shift+K';
  if (noteCommands.has(command) && isWithin(target, '.draft-rows')) return false; // a draft is no note yet
  if (isUsedByBrowser(name, target) || (isMoveCommand(command) && isListCovered.value)) return false;
  if (!/^([cg] )?[!-~]$/.test(name)) return true; // types no character
  return hasCharacterKeys.value && (command === 'search' || areLettersCommands(target));
}

/** Whether the element with the focus, or the browser, does something with these keys. */
function isUsedByBrowser(name: string, target: EventTarget | null): boolean {
  const pressesButton = name.endsWith('Enter') && isWithin(target, 'button, a:not([data-row]), input');
  const scrollsCode = /^[↓↑]$/.test(name) && isWithin(target, '[role=region][tabindex="0"]');
  const selectsText = /^Shift.[↓↑]|Ctrl.A/.test(name) && !isWithin(target, '.list-pane');
  const scrollsOrPresses = /Space$/.test(name) && !isWithin(target, '[data-row]');
  const deletesElsewhere = name === 'Delete' && !isWithin(target, '.list-pane');
  const scrollsSideways = /[←→]$/.test(name) && !(isBoardShown.value && isWithin(target, '.row'));
  return pressesButton || scrollsCode || selectsText || scrollsOrPresses || deletesElsewhere || scrollsSideways;
}

/** The value of the keys `1` to `7`, `g 1` to `g 5` and `c 1` to `c 8`. */
const findCommandValue = (command: Command, name: string) => commandValues[command]?.[Number(name.at(-1)) - 1];
