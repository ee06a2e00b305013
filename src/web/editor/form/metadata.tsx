import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { categories, colors, groups } from '../../../domain/enums.ts';
import type { NoteDraft } from '../../../domain/note.ts';
import { Swatch } from '../../ui/swatch.tsx';

interface MetadataProps {
  readonly initial: NoteDraft;
  /** What stands after the chips. */
  readonly children: ComponentChildren;
}

/** Category, group and color as chips. */
export function Metadata({ initial, children }: MetadataProps) {
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
      {children}
    </div>
  );
}

interface ChipProps {
  readonly name: 'category' | 'group' | 'color';
  readonly values: readonly string[];
  readonly chosen: string;
  readonly onChoice?: (value: string) => void;
  readonly children?: ComponentChildren;
}

const Chip = ({ name, values, chosen, onChoice, children }: ChipProps) => (
  <label class="form-chip touch">
    <span class="muted capitalize">{name}</span>
    {children}
    <select name={name} onChange={({ currentTarget }) => onChoice?.(currentTarget.value)}>
      {values.map((value) => (
        <option key={value} value={value} data-value={value} {...chosenIf(value === chosen)}>
          {value}
        </option>
      ))}
    </select>
  </label>
);

/** The option that a reset of the form selects. The types of JSX lack this property. */
const chosenIf = (isChosen: boolean) => ({ defaultSelected: isChosen });
