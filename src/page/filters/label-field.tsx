import type { TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type LabelledField, maxLabelLength } from '../../core/value-labels.ts';
import { labels } from '../state/labels.ts';
import { client, handleWriteFailureAndFormat } from '../state/note-requests.ts';
import { announceToScreenReaders, notify } from '../state/notifications.ts';
import { showAndStoreLabels } from '../state/sync-labels.ts';
import { formatValueLabel } from '../ui/format-for-page.ts';
import type { RenamableValue } from './filter-list.tsx';

interface RenamedField {
  readonly name: LabelledField;
  readonly value: RenamableValue;
}

export function RenameField({ name, value, end }: RenamedField & { readonly end: (isFocused: boolean) => void }) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.select(), []);
  const state = useRef<'open' | 'saving' | 'ended'>('open');
  const finish = () => {
    const isFocused = field.current === document.activeElement;
    state.current = 'ended'; // removal blurs the field, which must not save
    end(isFocused);
  };
  const save = async () => {
    if (!field.current || state.current !== 'open') return;
    const label = field.current.value.trim() || null;
    state.current = 'saving';
    if (label === (labels.value[value] ?? null) || (await tryRenameAndNotify({ name, value }, label))) finish();
    else state.current = 'open';
  };
  return (
    <input
      ref={field}
      class="input input-sm w-full px-3 touch sm:h-7.5 sm:text-[0.8125rem]"
      dir="auto"
      aria-label={`Name of the ${name} ${value}`}
      placeholder={value}
      maxLength={maxLabelLength}
      defaultValue={labels.value[value] ?? ''}
      autocomplete="off"
      onBlur={() => void save()}
      onKeyDown={(event: TargetedKeyboardEvent<HTMLInputElement>) => {
        if (event.key !== 'Enter' && event.key !== 'Escape') return;
        event.preventDefault();
        if (event.key === 'Enter') void save();
        else finish();
      }}
    />
  );
}

async function tryRenameAndNotify({ name, value }: RenamedField, label: string | null): Promise<boolean> {
  try {
    const { first, second, third, fourth, fifth } = await client.labels(); // the service keeps those of other categories
    showAndStoreLabels(await client.setLabels({ first, second, third, fourth, fifth, [value]: label }));
    announceToScreenReaders(`The ${name} ${value} is called ${formatValueLabel(value)}`);
    return true;
  } catch (error) {
    notify(handleWriteFailureAndFormat('Not named', error), { kind: 'failure' });
    return false;
  }
}
