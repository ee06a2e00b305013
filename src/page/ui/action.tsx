import type { MouseEventHandler } from 'preact';
import { Icon, type IconProps } from './icons.tsx';

interface ActionProps extends IconProps {
  /** Its word, seen on phones. */
  readonly text: string;
  /** Its name, if that says more. */
  readonly label?: string;
  readonly title: string;
  readonly class?: string;
  /** Of a button that turns something on and off. */
  readonly isOn?: boolean;
  readonly hasMenu?: boolean;
  readonly onClick: MouseEventHandler<HTMLButtonElement>;
}

/** An action of a note or of the selected ones: an icon; on phones, where they stand at the bottom, with its word. */
export const Action = ({ name, text, label, title, class: more = '', isOn, hasMenu, onClick }: ActionProps) => (
  <button
    type="button"
    class={`btn btn-ghost btn-sm touch note-action ${more}`}
    aria-label={label}
    aria-pressed={isOn}
    aria-haspopup={hasMenu && 'menu'}
    title={title}
    onClick={onClick}
  >
    <Icon name={name} />
    <span>{text}</span>
  </button>
);
