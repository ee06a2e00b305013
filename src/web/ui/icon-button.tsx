import { Icon, type IconProps } from './icons.tsx';

interface IconButtonProps extends IconProps {
  readonly label: string;
  readonly title?: string | undefined;
  readonly class?: string;
  readonly onClick: () => void;
}

/** A button with only an icon; the label is for screen readers. */
export const IconButton = ({ label, title, class: more = '', onClick, ...icon }: IconButtonProps) => (
  <button
    type="button"
    class={`btn btn-ghost btn-sm btn-square touch ${more}`}
    aria-label={label}
    title={title}
    onClick={onClick}
  >
    <Icon {...icon} />
  </button>
);
