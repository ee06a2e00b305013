import type { JSX } from 'preact';
import { Icon, type IconProps } from './icons.tsx';

type ButtonProps = Omit<JSX.IntrinsicElements['button'], 'class'> & { readonly class?: string };

export const Button = ({ class: more = '', ...rest }: ButtonProps) => (
  <button type="button" class={`btn btn-sm touch ${more}`} {...rest} />
);

type IconButtonProps = ButtonProps & IconProps & { readonly label: string };

export const IconButton = ({ label, name, large = false, class: more = '', ...rest }: IconButtonProps) => (
  <Button class={`btn-ghost btn-square ${more}`} aria-label={label} title={label} {...rest}>
    <Icon name={name} large={large} />
  </Button>
);

type ActionProps = ButtonProps & { readonly name: IconProps['name']; readonly text: string };

/** An action of a note or of the selected ones: an icon; on phones, where they stand at the bottom, with its word. */
export const IconTextButton = ({ name, text, ...rest }: ActionProps) => (
  <Button class="btn-ghost note-action" {...rest}>
    <Icon name={name} />
    <span>{text}</span>
  </Button>
);
