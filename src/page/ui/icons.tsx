import type { ValueField } from '../../core/enums.ts';
import type { Note } from '../../core/note.ts';

const iconPaths = {
  archive: 'M3 4h18v4H3zM5 8v12h14V8M10 12h4',
  'bash-commands': 'M3 5h18v14H3zM7 9l3 3-3 3M13 15h4',
  back: 'M19 12H5M11 6l-6 6 6 6',
  board: 'M3 4h5v16H3zM10 4h5v11h-5zM17 4h4v7h-4z',
  'chat-tool': 'M4 5h16v11h-9l-4 4v-4H4z',
  check: 'M4 12.5l5 5L20 6.5',
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  down: 'M6 9l6 6 6-6',
  css: 'M9 4C6 4 7.5 8 6.5 10.5 6 11.5 5 12 4 12c1 0 2 .5 2.5 1.5C7.5 16 6 20 9 20M15 4c3 0 1.5 4 2.5 6.5.5 1 1.5 1.5 2.5 1.5-1 0-2 .5-2.5 1.5-1 2.5.5 6.5-2.5 6.5',
  duplicate: 'M8 4h12v12H8zM4 8v12h12M14 7v6M11 10h6',
  edit: 'M4 20h4L20 8l-4-4L4 16zM13 7l4 4',
  'editor-chats': 'M8 8l-4 4 4 4M16 8l4 4-4 4M13.5 6l-3 12',
  export: 'M12 4v11M7 10.5l5 5 5-5M4 20h16',
  filter: 'M4 6h16M7 12h10M10 18h4',
  import: 'M12 15V4M7 8.5L12 4l5 4.5M4 20h16',
  group: 'M4 5h6l2 3h8v11H4z',
  help: 'M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.5v.5M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  history: 'M4.5 12a8 8 0 1 0 2.6-5.9L4 9M4 4v5h5M12.5 8v4.5l3 2',
  'host-town': 'M4 4h16v7H4zM4 13h16v7H4zM8 7.5v.1M8 16.5v.1',
  more: 'M4 12h2M11 12h2M18 12h2',
  link: 'M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 6 6l1-1',
  list: 'M4 6h16M4 12h16M4 18h16',
  notes: 'M6 3h8l4 4v14H6zM9.5 11h5M9.5 15h5',
  pin: 'M9 4h6l-1 6 4 4H6l4-4zM12 14v6',
  plus: 'M12 5v14M5 12h14',
  prompts: 'M11 4l1.9 5.1L18 11l-5.1 1.9L11 18l-1.9-5.1L4 11l5.1-1.9zM19 16v4M17 18h4',
  sliders: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
  sort: 'M7 5v14M3.5 15.5L7 19l3.5-3.5M13 6h8M13 12h6M13 18h4',
  unarchive: 'M4 10h11a5 5 0 0 1 0 10h-4M8 6l-4 4 4 4',
  up: 'M6 15l6-6 6 6',
  wrap: 'M4 6h16M4 12h13a3.5 3.5 0 0 1 0 7h-4M15 16l-3 3 3 3M4 19h4',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5L20 20',
} as const;

export type IconProps = Readonly<{ name: keyof typeof iconPaths; large?: boolean }>;

/** `color`: that of the note whose category the icon shows. */
export const Icon = ({ name, large = false, color }: IconProps & { readonly color?: Note['color'] }) => (
  <svg
    style={color && color !== 'neutral' ? createSwatchStyle(color) : undefined}
    class={`${large ? 'size-5' : 'size-4'} shrink-0`}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="1.8"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d={iconPaths[name]} />
  </svg>
);

const cssColors = {
  primary: 'var(--color-primary)',
  secondary: 'var(--color-secondary)',
  accent: 'var(--color-accent)',
  neutral: 'var(--color-neutral)',
  info: 'var(--color-info)',
  success: 'var(--color-success)',
  warning: 'var(--color-warning)',
  error: 'var(--color-error)',
} as const satisfies Record<Note['color'], string>;

const isColorName = (name: string): name is Note['color'] => Object.hasOwn(cssColors, name);

/**
 * The colour of a swatch as a style. A colour that only a later version of the service knows has the one of the text.
 */
const createSwatchStyle = (color: Note['color']) => ({
  '--own': isColorName(color) ? cssColors[color] : 'currentcolor',
});

/** A colour swatch; decorative, as its name is next to it. */
export const Swatch = ({ color }: { color: Note['color'] }) => (
  <span
    class={`swatch ${color === 'neutral' ? 'swatch-none' : ''} inline-block size-3 shrink-0 align-[-0.1em]`}
    style={createSwatchStyle(color)}
    aria-hidden="true"
  />
);

export type IconOrSwatchName = IconProps['name'] | Note[ValueField];

const isIconName = (name: IconOrSwatchName): name is IconProps['name'] => name in iconPaths;

export function IconOrSwatch({ name }: { name: IconOrSwatchName }) {
  return isColorName(name) ? <Swatch color={name} /> : <Icon name={isIconName(name) ? name : 'group'} />;
}
