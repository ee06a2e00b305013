import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  addDateDefault,
  fillPlaceholders,
  findPlaceholders,
  type Piece,
  type Placeholder,
  splitAtPlaceholders,
  valueOrDefault,
} from '../../core/placeholders.ts';
import { truncateText } from '../../core/text/truncate-text.ts';
import { VisibleText } from '../markdown/content.tsx';
import { type CopySource, closeDialog } from '../state/dialog.ts';
import { pagePath, readJson, writeItem } from '../state/storage.ts';
import { Button } from '../ui/buttons.tsx';
import { Modal, ScrollArea } from '../ui/modal.tsx';
import { copyText } from './copy.ts';
import { PlaceholderField } from './value-field.tsx';

type Given = ReadonlyMap<string, string>;

export function PlaceholderForm({ source }: { source: CopySource }) {
  const placeholders = useMemo(() => addDateDefault(findPlaceholders(source.text), new Date()), [source]);
  const last = useMemo(lastValues, [source]);
  const [given, setGiven] = useState(() => initial(placeholders, last));
  const [isWarned, setWarned] = useState(false);
  const [current, setCurrent] = useState<string>();
  const values = meant(placeholders, given);
  const blanks = placeholders.length - values.size;
  useEffect(() => {
    if (!placeholders.some((one) => one.name === 'clipboard' && one.default === undefined)) return;
    void readClipboard().then((text) => setGiven((before) => withClipboard(before, text)));
  }, [placeholders]);
  const copy = (text: string) => {
    closeDialog();
    void copyText(source, text);
  };
  return (
    <Modal title={`Copy ${source.name}`} closesOnBackdrop>
      <form
        class="flex min-h-0 flex-col overflow-y-auto"
        onKeyDown={submitOnEnter}
        onSubmit={(event) => {
          event.preventDefault();
          if (blanks > 0 && !isWarned) return setWarned(true);
          storeValues(values);
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
              last={last.get(placeholder.name)}
              onFocus={setCurrent}
              onValue={(name, value) => {
                setGiven((before) => new Map(before).set(name, value));
                setWarned(false);
              }}
            />
          ))}
          <FilledText text={source.text} values={values} current={current} />
        </div>
        <div class="flex flex-wrap items-center gap-2 border-t border-base-300 px-5 py-3">
          <Button type="submit" class="btn-primary">
            {isWarned ? 'Copy anyway' : 'Copy'}
          </Button>
          <p class="flex-1 text-end text-sm" role="status">
            {isWarned ? (
              <strong>
                {blanksLeft(blanks)}
                <span class="keys"> Enter again copies.</span>
              </strong>
            ) : (
              <span class="muted keys">Enter copies, Shift+Enter starts a new line</span>
            )}
          </p>
        </div>
      </form>
    </Modal>
  );
}

/** Fills in the clipboard, unless something has been typed meanwhile. */
const withClipboard = (given: Given, text: string): Given =>
  text === '' || given.get('clipboard') ? given : new Map(given).set('clipboard', text);

/** The text in the clipboard; empty where the browser cannot tell whether it may be read, or denies it. */
async function readClipboard(): Promise<string> {
  try {
    const { state } = await navigator.permissions.query({ name: 'clipboard-read' as PermissionName });
    return state === 'denied' ? '' : await navigator.clipboard.readText();
  } catch {
    return ''; // other browsers than Chromium do not know this permission
  }
}

const blanksLeft = (count: number) => (count === 1 ? '1 blank stays as it is.' : `${count} blanks stay as they are.`);

const initial = (placeholders: readonly Placeholder[], last: Given): Given =>
  new Map(
    placeholders.map(({ name, default: preset = '', choices }) => {
      const chosen = last.get(name);
      return [name, chosen !== undefined && choices?.includes(chosen) ? chosen : preset];
    }),
  );

function meant(placeholders: readonly Placeholder[], given: Given): Given {
  const values = new Map<string, string>();
  for (const placeholder of placeholders) {
    const value = valueOrDefault(placeholder, given.get(placeholder.name));
    if (value !== undefined) values.set(placeholder.name, value);
  }
  return values;
}

/** Shift+Enter starts a new line. An Enter still held down from opening the form does not submit. */
function submitOnEnter(event: TargetedKeyboardEvent<HTMLFormElement>): void {
  const { key, shiftKey, repeat, target } = event;
  if (key !== 'Enter' || shiftKey || target instanceof HTMLButtonElement) return;
  event.preventDefault();
  if (!repeat) event.currentTarget.requestSubmit();
}

const valuesKey = `notes.values:${pagePath}`;
/** `characters`: of a name or a value; longer ones are not kept. */
const max = { names: 100, characters: 500 };

const secret = /pass|pwd|secret|token|key|credential|(?<![a-z])(pin|otp|cvc|cvv)(?![a-z])/i;

/** Names whose value is another one each time. */
const fleeting = ['date', 'clipboard'];

/** The last values by name. Long values and names that suggest a secret are not kept. */
function lastValues(): Map<string, string> {
  const stored = readJson(valuesKey);
  const pairs = Array.isArray(stored) ? stored : [];
  return new Map(
    pairs.filter((pair) => Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string')),
  );
}

function storeValues(values: ReadonlyMap<string, string>): void {
  const kept = lastValues();
  for (const [name, value] of values) {
    kept.delete(name);
    if (fleeting.includes(name)) continue;
    if (value !== '' && value.length <= max.characters && name.length <= max.characters && !secret.test(name)) {
      kept.set(name, value);
    }
  }
  writeItem(valuesKey, JSON.stringify([...kept].slice(-max.names)));
}

interface PreviewProps {
  readonly text: string;
  readonly values: ReadonlyMap<string, string>;
  /** The name whose field has the focus; its first occurrence is scrolled into view. */
  readonly current: string | undefined;
}

/** In characters. More would be slow to render on each key press. */
const maxShown = 10_000;

function FilledText({ text, values, current }: PreviewProps) {
  const pieces = useMemo(() => splitAtPlaceholders(truncateText(text, maxShown)), [text]);
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
      {isBlank ? text : <VisibleText text={truncateText(value, maxShown)} />}
    </span>
  );
}
