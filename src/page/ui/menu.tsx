import { render, type TargetedMouseEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon, Mark, type MarkName } from './icons.tsx';

export interface MenuItem {
  readonly name: string;
  readonly mark?: MarkName | undefined;
  readonly hint?: string | undefined;
  readonly isChosen?: boolean;
  readonly run: () => void;
}

type MenuProps = Readonly<{ label: string; items: readonly MenuItem[]; at: Element | MouseEvent }>;

const host = document.createElement('div');

export const openMenu = (menu: MenuProps): void => {
  closeMenu();
  document.querySelector('main')?.append(host);
  render(<Menu {...menu} />, host);
};

const closeMenu = () => render(null, host);

const gap = 4;

function Menu({ label, items, at }: MenuProps) {
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current: menu } = ref;
    menu?.showPopover();
    if (!menu) return;
    const { width, height } = menu.getBoundingClientRect();
    const { left, top } = at instanceof Element ? below(at) : { left: at.clientX, top: at.clientY };
    menu.style.left = `${Math.max(gap, Math.min(left, innerWidth - width - gap))}px`;
    menu.style.top = `${Math.max(gap, Math.min(top, innerHeight - height - gap))}px`;
    (menu.querySelector<HTMLElement>('[aria-checked=true]') ?? itemsOf(menu)[0])?.focus();
  }, []);
  return (
    <div
      ref={ref}
      class="menu"
      role="menu"
      tabIndex={-1}
      aria-label={label}
      popover="auto"
      onToggle={({ newState }) => newState === 'closed' && closeMenu()}
      onClick={closeBeside}
      onContextMenu={closeBeside}
      onKeyDown={(event) => {
        event.stopPropagation(); // letters are commands elsewhere
        moveFocus(event);
      }}
    >
      {items.map(({ name, mark, hint, isChosen, run }) => (
        <button
          key={name}
          type="button"
          {...(isChosen === undefined ? { role: 'menuitem' } : { role: 'menuitemradio', 'aria-checked': isChosen })}
          tabIndex={-1}
          class="command touch"
          onClick={() => {
            ref.current?.hidePopover(); // gives the focus back first
            run();
          }}
        >
          {mark && <Mark name={mark} />}
          <span class="min-w-0 flex-1 truncate">{name}</span>
          {isChosen && <Icon name="check" />}
          {hint && <kbd class="kbd kbd-sm keys">{hint}</kbd>}
        </button>
      ))}
    </div>
  );
}

/** Closes the menu by a click beside it, which is on its backdrop. */
function closeBeside(event: TargetedMouseEvent<HTMLElement>): void {
  if (event.target !== event.currentTarget) return;
  event.preventDefault();
  event.currentTarget.hidePopover();
}

function below(button: Element): { left: number; top: number } {
  const { left, bottom } = button.getBoundingClientRect();
  return { left, top: bottom + gap };
}

const itemsOf = (menu: Element) => [...menu.querySelectorAll<HTMLElement>('[role^=menuitem]')];

/** Arrows, Home and End move; a letter moves to the next name that begins with it; Tab closes. */
function moveFocus(event: KeyboardEvent): void {
  const { key, currentTarget: menu } = event;
  if (!(menu instanceof HTMLElement)) return;
  const items = itemsOf(menu);
  const at = items.findIndex((item) => item.matches(':focus'));
  const others = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  const named = others.find(({ textContent }) => textContent.trim().toLowerCase().startsWith(key.toLowerCase()));
  const next = { ArrowDown: others[0], ArrowUp: others.at(-2), Home: items[0], End: items.at(-1) }[key] ?? named;
  if (key === 'Tab') menu.hidePopover();
  else if (next) next.focus();
  else return;
  event.preventDefault();
}
