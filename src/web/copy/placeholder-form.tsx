import type { TargetedKeyboardEvent } from 'preact';
import { fillPlaceholders, placeholdersIn } from '../../domain/placeholders.ts';
import { type CopySource, closeDialog } from '../state/dialog.ts';
import { Modal } from '../ui/modal.tsx';
import { copyText } from './copy.ts';

/** Prefix of control names: they become properties of their form and must not hide its own. */
const prefix = 'value ';

/** Asks for the values of placeholders, then copies the text with them. An empty value leaves its placeholder. */
export function PlaceholderForm({ source }: { source: CopySource }) {
  const copy = (values: ReadonlyMap<string, string>) => {
    closeDialog();
    void copyText(source, fillPlaceholders(source.text, values));
  };
  return (
    <Modal title={`Copy ${source.name}`} closesOnBackdrop>
      <form
        class="flex min-h-0 flex-col gap-4 overflow-y-auto p-5"
        onKeyDown={submitOnEnter}
        onSubmit={(event) => {
          event.preventDefault();
          copy(valuesIn(event.currentTarget));
        }}
      >
        {placeholdersIn(source.text).map((name, index) => (
          <label key={name} class="field">
            <span dir="auto">{name}</span>
            <textarea
              name={`${prefix}${name}`}
              class="textarea field-sizing-content max-h-60 min-h-10 w-full resize-none touch"
              dir="auto"
              rows={1}
              autofocus={index === 0}
            />
          </label>
        ))}
        <div class="flex flex-wrap items-center gap-2">
          <button type="submit" class="btn btn-primary btn-sm touch">
            Copy
          </button>
          <button type="button" class="btn btn-ghost btn-sm touch" onClick={() => copy(new Map())}>
            Copy raw
          </button>
          <p class="flex-1 text-end text-xs muted max-sm:hidden">Enter copies, Shift+Enter begins a new line</p>
        </div>
      </form>
    </Modal>
  );
}

/** Shift+Enter begins a line. An Enter that is still held down from opening the form does not submit. */
function submitOnEnter(event: TargetedKeyboardEvent<HTMLFormElement>): void {
  const { key, shiftKey, isComposing, repeat, target } = event;
  if (key !== 'Enter' || shiftKey || isComposing || !(target instanceof HTMLTextAreaElement)) return;
  event.preventDefault();
  if (!repeat) event.currentTarget.requestSubmit();
}

function valuesIn(form: HTMLFormElement): ReadonlyMap<string, string> {
  const areas = [...form.elements].filter((element) => element instanceof HTMLTextAreaElement);
  return new Map(
    areas.filter(({ value }) => value !== '').map(({ name, value }) => [name.slice(prefix.length), value]),
  );
}
