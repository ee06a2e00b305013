import type { TargetedKeyboardEvent } from 'preact';
import type { Placeholder } from '../../core/placeholders.ts';
import { isTouchScreen } from '../state/touch-screen.ts';

interface ValueFieldProps {
  readonly id: string;
  readonly placeholder: Placeholder;
  readonly value: string;
  readonly lastValue: string | undefined;
  readonly onFocus: (name: string) => void;
  readonly onValue: (name: string, value: string) => void;
}

/** Prefix of control names: names become properties of the form and must not shadow its own. */
const controlNamePrefix = 'value ';

/** Above these, choices are shown as a select. */
const maxForRadios = { choices: 6, characters: 60 };

export function PlaceholderField(props: ValueFieldProps) {
  const { choices } = props.placeholder;
  if (choices === undefined) return <TextValueField {...props} />;
  const isShort = choices.length <= maxForRadios.choices && choices.join('').length <= maxForRadios.characters;
  return isShort ? <ChoiceRadios {...props} choices={choices} /> : <ChoiceSelect {...props} choices={choices} />;
}

function TextValueField({ id, placeholder, value, lastValue: last, onFocus, onValue }: ValueFieldProps) {
  const { name, default: preset = '' } = placeholder;
  const offered = last === value || last === preset ? undefined : last;
  const offer = offered === undefined ? undefined : `${id}-last`;
  const takeLast = (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key !== 'ArrowUp' || offered === undefined || (value !== '' && value !== preset)) return;
    event.preventDefault();
    onValue(name, offered);
  };
  return (
    <div class="field">
      <div class="flex items-center justify-between gap-4">
        <label for={id} class="min-w-0 font-medium break-words" dir="auto">
          {name}
        </label>
        {offered !== undefined && (
          <button
            type="button"
            id={offer}
            class="btn btn-ghost btn-xs touch min-w-0 shrink font-normal"
            tabIndex={-1}
            aria-label={`Last time: ${offered}. The up arrow inserts it`}
            title="Use the last value (↑)"
            onClick={() => onValue(name, offered)}
          >
            <span class="truncate">{offered}</span> <span class="keys">↑</span>
          </button>
        )}
      </div>
      <textarea
        id={id}
        name={`${controlNamePrefix}${name}`}
        class="textarea field-sizing-content max-h-60 min-h-11 w-full resize-none py-3 touch"
        dir="auto"
        enterkeyhint={isTouchScreen.value ? 'enter' : 'done'}
        rows={Math.min(value.split('\n').length, 10)}
        value={value}
        {...(preset && { placeholder: preset })}
        {...(offer !== undefined && { 'aria-describedby': offer })}
        onFocus={({ currentTarget }) => {
          onFocus(name);
          if (value === preset) currentTarget.select();
        }}
        onInput={({ currentTarget }) => onValue(name, currentTarget.value)}
        onKeyDown={takeLast}
      />
    </div>
  );
}

type ChoiceProps = ValueFieldProps & { readonly choices: readonly string[] };

const formatChoice = (choice: string) => choice || '(nothing)';

const ChoiceRadios = ({ placeholder: { name }, choices, value, onFocus, onValue }: ChoiceProps) => (
  <fieldset class="text-sm">
    <legend class="mb-1 font-medium" dir="auto">
      {name}
    </legend>
    <div class="flex flex-wrap gap-x-4 gap-y-1">
      {choices.map((choice) => (
        <label key={choice} class="flex items-center gap-2 touch" dir="auto">
          <input
            type="radio"
            name={`${controlNamePrefix}${name}`}
            class="radio"
            checked={choice === value}
            onFocus={() => onFocus(name)}
            onChange={() => onValue(name, choice)}
          />
          {formatChoice(choice)}
        </label>
      ))}
    </div>
  </fieldset>
);

const ChoiceSelect = ({ placeholder: { name }, choices, value, onFocus, onValue }: ChoiceProps) => (
  <label class="field">
    <span class="font-medium" dir="auto">
      {name}
    </span>
    <select
      name={`${controlNamePrefix}${name}`}
      class="input w-full appearance-auto touch"
      value={value}
      onFocus={() => onFocus(name)}
      onChange={({ currentTarget }) => onValue(name, currentTarget.value)}
    >
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {formatChoice(choice)}
        </option>
      ))}
    </select>
  </label>
);
