import { Icon, type IconProps } from './icons.tsx';

interface IconButtonProps extends IconProps {
  readonly label: string;
  /** By default the label. */
  readonly title?: string;
  readonly class?: string;
  /** Of a button that turns something on and off. */
  readonly isOn?: boolean;
  readonly onClick: () => void;
}

/** A button with only an icon. */
export const IconButton = ({ label, title = label, class: more = '', isOn, onClick, ...icon }: IconButtonProps) => (
  <button
    type="button"
    class={`btn btn-ghost btn-sm btn-square touch ${more}`}
    aria-label={label}
    title={title}
    aria-pressed={isOn}
    onClick={onClick}
  >
    <Icon {...icon} />
  </button>
);
