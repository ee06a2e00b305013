import type { TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type Group, maxLabelLength } from '../../core/group-labels.ts';
import { groupName, labels, takeLabels } from '../state/labels.ts';
import { client, writeFailureText } from '../state/notes.ts';
import { announce, notify } from '../state/notifications.ts';

export function LabelField({ group, end }: { group: Group; end: (isFocused: boolean) => void }) {
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
    if (label === (labels.value[group] ?? null) || (await rename(group, label))) finish();
    else state.current = 'open';
  };
  return (
    <input
      ref={field}
      class="input input-sm w-full px-3 touch sm:h-7.5 sm:text-[0.8125rem]"
      dir="auto"
      aria-label={`Name of the group ${group}`}
      placeholder={group}
      maxLength={maxLabelLength}
      defaultValue={labels.value[group] ?? ''}
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

async function rename(group: Group, label: string | null): Promise<boolean> {
  try {
    takeLabels(await client.setLabels({ ...(await client.labels()), [group]: label }));
    announce(`The group ${group} is called ${groupName(group)}`);
    return true;
  } catch (error) {
    notify(writeFailureText('Not named', error), { kind: 'failure' });
    return false;
  }
}
