import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { categories, colors, groups } from '../../../core/enums.ts';
import type { NoteDraft } from '../../../core/note.ts';
import { valueName } from '../../ui/format.ts';
import { Swatch } from '../../ui/swatch.tsx';

/** Category, group and color as chips. */
export function Metadata({ initial }: { initial: NoteDraft }) {
  const color = useSignal(initial.color);
  useLayoutEffect(() => {
    color.value = initial.color;
  }, [initial]);
  return (
    <div class="form-chips">
      <Chip name="category" values={categories} chosen={initial.category} />
      <Chip name="group" values={groups} chosen={initial.group} />
      <Chip
        name="color"
        values={colors}
        chosen={initial.color}
        onChoice={(value) => {
          color.value = colors.find((known) => known === value) ?? color.value;
        }}
      >
        <Swatch color={color.value} />
      </Chip>
    </div>
  );
}

interface ChipProps<Value extends string> {
  readonly name: 'category' | 'group' | 'color';
  readonly values: readonly Value[];
  readonly chosen: string;
  readonly onChoice?: (value: string) => void;
  readonly children?: ComponentChildren;
}

const Chip = <Value extends string>({ name, values, chosen, onChoice, children }: ChipProps<Value>) => (
  <label class="form-chip touch">
    <span class="muted capitalize">{name}</span>
    {children}
    <select name={name} onChange={({ currentTarget }) => onChoice?.(currentTarget.value)}>
      {values.map((value) => (
        <option key={value} value={value} data-value={value} {...chosenIf(value === chosen)}>
          {optionName(value)}
        </option>
      ))}
    </select>
  </label>
);

/** A labelled group as its label and value. */
function optionName(value: string): string {
  const name = valueName(value);
  return name === value ? value : `${name} (${value})`;
}

/** The option that a reset of the form selects. The types of JSX lack this property. */
const chosenIf = (isChosen: boolean) => ({ defaultSelected: isChosen });
