import type { JSX } from 'preact';
import { Icon, type IconProps } from './icons.tsx';

type ButtonProps = Omit<JSX.IntrinsicElements['button'], 'class'> & { readonly class?: string };

export const Button = ({ class: more = '', ...rest }: ButtonProps) => (
  <button type="button" class={`btn btn-sm touch ${more}`} {...rest} />
);

interface IconButtonProps extends IconProps {
  readonly label: string;
  readonly title?: string;
  readonly class?: string;
  readonly isOn?: boolean;
  readonly onClick: () => void;
}

export const IconButton = ({ label, title = label, class: more = '', isOn, onClick, ...icon }: IconButtonProps) => (
  <Button class={`btn-ghost btn-square ${more}`} aria-label={label} title={title} aria-pressed={isOn} onClick={onClick}>
    <Icon {...icon} />
  </Button>
);

type ActionProps = ButtonProps & {
  readonly name: IconProps['name'];
  readonly text: string;
};

/** An action of a note or of the selected ones: an icon; on phones, where they stand at the bottom, with its word. */
export const Action = ({ name, text, ...rest }: ActionProps) => (
  <Button class="btn-ghost note-action" {...rest}>
    <Icon name={name} />
    <span>{text}</span>
  </Button>
);
