import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  copyWithDateDefault,
  fillPlaceholders,
  findColonDefault,
  getValueOrDefault,
  listDistinctPlaceholders,
  type Piece,
  type Placeholder,
  splitAtPlaceholders,
} from '../../core/placeholders.ts';
import { truncateText } from '../../core/text/truncate-text.ts';
import { selectSearchText } from '../list/search-box.tsx';
import { VisibleText } from '../markdown/rendered-content.tsx';
import { type CopySource, closeDialog } from '../state/dialog.ts';
import { pagePath, readStorageJson, writeOrRemoveStorageItem } from '../state/page-storage.ts';
import { isTouchScreen } from '../state/touch-screen.ts';
import { Button } from '../ui/buttons.tsx';
import { Modal, ScrollArea } from '../ui/modal.tsx';
import { flushSync } from '../ui/move-focus.ts';
import { copyTextAndNotify } from './copy-to-clipboard.ts';
import { PlaceholderField } from './placeholder-field.tsx';

type ValuesByName = ReadonlyMap<string, string>;

export function PlaceholderForm({ source }: { source: CopySource }) {
  const placeholders = useMemo(() => copyWithDateDefault(listDistinctPlaceholders(source.text), new Date()), [source]);
  const last = useMemo(readLastValues, [source]);
  const [given, setGiven] = useState(() => createInitialValues(placeholders, last));
  const [isWarned, setWarned] = useState(false);
  const [current, setCurrent] = useState<string>();
  const values = completeWithDefaults(placeholders, given);
  const blanks = placeholders.length - values.size;
  useEffect(() => {
    if (!placeholders.some((one) => one.name === 'clipboard' && one.default === undefined)) return;
    void readClipboardOrEmpty().then((text) => setGiven((before) => copyWithClipboard(before, text)));
  }, [placeholders]);
  const copy = (text: string) => {
    flushSync(closeDialog); // which gives the focus back
    void copyTextAndNotify(source, text);
    if (document.activeElement?.matches('#search')) selectSearchText();
  };
  return (
    <Modal title={`Copy ${source.name}`} closesOnBackdrop>
      <form
        class="flex min-h-0 flex-col overflow-y-auto"
        onKeyDown={submitOnEnter}
        onSubmit={(event) => {
          event.preventDefault();
          if (blanks > 0 && !isWarned) return setWarned(true);
          storeLastValues(values);
          copy(fillPlaceholders(source.text, values));
        }}
      >
        <div class="flex min-h-32 flex-col gap-4 overflow-y-auto p-5">
          {placeholders.map((placeholder, index) => (
            <PlaceholderField
              key={placeholder.name}
              id={`value-${index}`}
              placeholder={placeholder}
              value={given.get(placeholder.name) ?? ''}
              lastValue={last.get(placeholder.name)}
              onFocus={setCurrent}
              onValue={(name, value) => {
                setGiven((before) => new Map(before).set(name, value));
                setWarned(false);
              }}
            />
          ))}
          <FilledText text={source.text} values={values} current={current} />
          <ColonDefaultHint text={source.text} />
        </div>
        <FormFoot blanks={blanks} isWarned={isWarned} onCopyUnfilled={() => copy(source.text)} />
      </form>
    </Modal>
  );
}

interface FormFootProps {
  /** How many placeholders have no value. */
  readonly blanks: number;
  /** Whether the user was told of them. */
  readonly isWarned: boolean;
  readonly onCopyUnfilled: () => void;
}

/** On touch screens, the buttons are one row, and the warning is above it. */
function FormFoot({ blanks, isWarned, onCopyUnfilled }: FormFootProps) {
  const isTouch = isTouchScreen.value;
  const warning = isWarned && (
    <strong>
      {formatBlanksLeft(blanks)}
      <span class="keys"> Enter again copies.</span>
    </strong>
  );
  return (
    <div class="flex flex-wrap items-center gap-2 border-t border-base-300 px-5 py-3">
      {isTouch && (
        <p class={isWarned ? 'basis-full text-sm' : 'sr-only'} role="status">
          {warning}
        </p>
      )}
      <Button type="submit" class={`btn-primary ${isTouch ? 'flex-1' : ''}`}>
        {isWarned ? 'Copy anyway' : 'Copy'}
      </Button>
      {!isTouch && (
        <p class="flex-1 text-end text-sm" role="status">
          {warning || <span class="muted keys">Enter copies, Shift+Enter starts a new line</span>}
        </p>
      )}
      <Button class={`btn-ghost ${isTouch ? '' : 'basis-full justify-start px-0'}`} onClick={onCopyUnfilled}>
        Copy without filling in
      </Button>
    </div>
  );
}

/** Says that a default after a colon is none, and how to write it. */
function ColonDefaultHint({ text }: { text: string }) {
  const colon = useMemo(() => findColonDefault(text), [text]);
  if (!colon) return null;
  return (
    <p class="text-sm break-words">
      <code>{colon.written}</code> is copied as it is. A default is written with an equals sign:{' '}
      <code>{colon.meant}</code>
    </p>
  );
}

/** Fills in the clipboard, unless something has been typed meanwhile. */
const copyWithClipboard = (given: ValuesByName, text: string): ValuesByName =>
  text === '' || given.get('clipboard') ? given : new Map(given).set('clipboard', text);

/** The text in the clipboard; empty where the browser cannot tell whether it may be read, or denies it. */
async function readClipboardOrEmpty(): Promise<string> {
  try {
    const { state } = await navigator.permissions.query({ name: 'clipboard-read' as PermissionName });
    return state === 'denied' ? '' : await navigator.clipboard.readText();
  } catch {
    return ''; // other browsers than Chromium do not know this permission
  }
}

const formatBlanksLeft = (count: number) =>
  count === 1 ? '1 blank stays as it is.' : `${count} blanks stay as they are.`;

const createInitialValues = (placeholders: readonly Placeholder[], last: ValuesByName): ValuesByName =>
  new Map(
    placeholders.map(({ name, default: preset = '', choices }) => {
      const chosen = last.get(name);
      return [name, chosen !== undefined && choices?.includes(chosen) ? chosen : preset];
    }),
  );

function completeWithDefaults(placeholders: readonly Placeholder[], given: ValuesByName): ValuesByName {
  const values = new Map<string, string>();
  for (const placeholder of placeholders) {
    const value = getValueOrDefault(placeholder, given.get(placeholder.name));
    if (value !== undefined) values.set(placeholder.name, value);
  }
  return values;
}

/**
 * Shift+Enter starts a new line. An Enter still held down from opening the form does not submit. The keyboard of a touch
 * screen has no Shift+Enter, so that there Enter starts a new line.
 */
function submitOnEnter(event: TargetedKeyboardEvent<HTMLFormElement>): void {
  const { key, shiftKey, repeat, target } = event;
  if (key !== 'Enter' || shiftKey || isTouchScreen.value || target instanceof HTMLButtonElement) return;
  event.preventDefault();
  if (!repeat) event.currentTarget.requestSubmit();
}

const lastValuesKey = `notes.values:${pagePath}`;
/** `characters`: of a name or a value; longer ones are not kept. */
const maxStored = { names: 100, characters: 500 };

const secretNamePattern = /pass|pwd|secret|token|key|credential|(?<![a-z])(pin|otp|cvc|cvv)(?![a-z])/i;

/** Names whose value is another one each time. */
const unstoredNames = ['date', 'clipboard'];

/** The last values by name. Long values and names that suggest a secret are not kept. */
function readLastValues(): Map<string, string> {
  const stored = readStorageJson(lastValuesKey);
  const pairs = Array.isArray(stored) ? stored : [];
  return new Map(
    pairs.filter((pair) => Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string')),
  );
}

function storeLastValues(values: ReadonlyMap<string, string>): void {
  const kept = readLastValues();
  for (const [name, value] of values) {
    kept.delete(name);
    if (unstoredNames.includes(name)) continue;
    if (
      value !== '' &&
      value.length <= maxStored.characters &&
      name.length <= maxStored.characters &&
      !secretNamePattern.test(name)
    ) {
      kept.set(name, value);
    }
  }
  writeOrRemoveStorageItem(lastValuesKey, JSON.stringify([...kept].slice(-maxStored.names)));
}

interface PreviewProps {
  readonly text: string;
  readonly values: ReadonlyMap<string, string>;
  /** The name whose field has the focus; its first occurrence is scrolled into view. */
  readonly current: string | undefined;
}

/** In characters. More would be slow to render on each key press. */
const maxPreviewLength = 10_000;

function FilledText({ text, values, current }: PreviewProps) {
  const pieces = useMemo(() => splitAtPlaceholders(truncateText(text, maxPreviewLength)), [text]);
  const ref = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const element = current === undefined ? null : ref.current?.querySelector(`[data-name="${CSS.escape(current)}"]`);
    if (ref.current && element instanceof HTMLElement) ref.current.scrollTop = element.offsetTop - 32;
  }, [current]);
  return (
    <ScrollArea
      box={ref}
      class="relative max-h-60 min-h-16 shrink-0 overflow-y-auto rounded-field bg-base-200 p-3 font-mono text-[0.8125rem] break-words whitespace-pre-wrap"
      label="Preview"
      dir="auto"
    >
      {pieces.map((piece, index) => (
        <PreviewPiece key={index} {...piece} value={values.get(piece.name ?? '')} />
      ))}
    </ScrollArea>
  );
}

function PreviewPiece({ text, name, value }: Piece & { readonly value: string | undefined }) {
  if (name === undefined) return <VisibleText text={text} />;
  const isBlank = value === undefined;
  return (
    <span data-name={name} class={isBlank ? 'outline-1 outline-dashed' : 'bg-primary/20'}>
      {isBlank ? text : <VisibleText text={truncateText(value, maxPreviewLength)} />}
    </span>
  );
}
