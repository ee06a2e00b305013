import { render, type TargetedMouseEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { formatPressedKey } from '../keyboard/keymap.ts';
import { findTypedName } from './find-typed-name.ts';
import { Icon, IconOrSwatch, type IconOrSwatchName } from './icons.tsx';

export interface MenuItem {
  /** That of the element; the name by default. */
  readonly key?: number;
  readonly name: string;
  readonly icon?: IconOrSwatchName | undefined;
  readonly hint?: string | undefined;
  readonly isChosen?: boolean;
  readonly run: () => void;
}

type MenuProps = Readonly<{ label: string; items: readonly MenuItem[]; at: Element | MouseEvent }>;

const menuHost = document.createElement('div');

/** The key that was pressed before in this menu, such as the first one of `g 1`. */
let previousKey = '';

export const openMenu = (menu: MenuProps): void => {
  closeMenu();
  previousKey = '';
  typedAt = Number.NEGATIVE_INFINITY;
  document.querySelector('main')?.append(menuHost);
  render(<Menu {...menu} />, menuHost);
};

const closeMenu = () => render(null, menuHost);

const menuGapPx = 4;

function Menu({ label, items, at }: MenuProps) {
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current: menu } = ref;
    menu?.showPopover();
    if (!menu) return;
    const { width, height } = menu.getBoundingClientRect();
    const { left, top } = at instanceof Element ? getPositionBelow(at) : { left: at.clientX, top: at.clientY };
    menu.style.left = `${Math.max(menuGapPx, Math.min(left, innerWidth - width - menuGapPx))}px`;
    menu.style.top = `${Math.max(menuGapPx, Math.min(top, innerHeight - height - menuGapPx))}px`;
    (menu.querySelector<HTMLElement>('[aria-checked=true]') ?? listItemElements(menu)[0])?.focus();
  }, []);
  const chooseItem = (event: Event, { run }: MenuItem) => {
    event.preventDefault();
    ref.current?.hidePopover(); // gives the focus back first
    run();
  };
  return (
    <div
      ref={ref}
      class="menu"
      role="menu"
      tabIndex={-1}
      aria-label={label}
      popover="auto"
      onToggle={({ newState, currentTarget }) => {
        // the event comes late: by then, another menu may be open in place of this one
        if (newState === 'closed' && currentTarget.isConnected) closeMenu();
      }}
      onClick={closeOnBackdropClick}
      onContextMenu={closeOnBackdropClick}
      onKeyDown={(event) => {
        event.stopPropagation(); // letters are commands elsewhere
        const item = findItemByKey(event, items);
        if (item) chooseItem(event, item);
        else
          moveFocus(
            event,
            items.map(({ name }) => name),
          );
      }}
    >
      {items.map((item) => (
        <button
          key={item.key ?? item.name}
          type="button"
          {...(item.isChosen === undefined
            ? { role: 'menuitem' }
            : { role: 'menuitemradio', 'aria-checked': item.isChosen })}
          tabIndex={-1}
          class="command touch"
          onClick={(event) => chooseItem(event, item)}
        >
          {item.icon && <IconOrSwatch name={item.icon} />}
          <span class="min-w-0 flex-1 truncate">{item.name}</span>
          {item.isChosen && <Icon name="check" />}
          {item.hint && <kbd class="kbd kbd-sm keys">{item.hint}</kbd>}
        </button>
      ))}
    </div>
  );
}

/** Closes the menu by a click beside it, which is on its backdrop. */
function closeOnBackdropClick(event: TargetedMouseEvent<HTMLElement>): void {
  if (event.target !== event.currentTarget) return;
  event.preventDefault();
  event.currentTarget.hidePopover();
}

function getPositionBelow(button: Element): { left: number; top: number } {
  const { left, bottom } = button.getBoundingClientRect();
  return { left, top: bottom + menuGapPx };
}

const listItemElements = (menu: Element) => [...menu.querySelectorAll<HTMLElement>('[role^=menuitem]')];

/** Finds the item that shows the pressed key beside its name. Enter presses the item with the focus instead. */
function findItemByKey(event: KeyboardEvent, items: readonly MenuItem[]): MenuItem | undefined {
  const key = formatPressedKey(event);
  if (key === 'Enter' || event.altKey) return undefined;
  const keys = [key, `${previousKey} ${key}`];
  previousKey = key;
  return items.find(({ hint }) => hint !== undefined && keys.includes(hint));
}

/** In ms. Characters that follow each other within this time are typed of one name. */
const typeAheadMs = 1_000;
let typedName = '';
let typedAt = Number.NEGATIVE_INFINITY;

/** Arrows, Home and End move; characters move to the next name that begins with them, or has them; Tab closes. */
function moveFocus(event: KeyboardEvent, names: readonly string[]): void {
  const { key, currentTarget: menu } = event;
  if (!(menu instanceof HTMLElement)) return;
  const items = listItemElements(menu);
  const at = items.findIndex((item) => item.matches(':focus'));
  const others = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  const isTyped = typeNameAhead(event);
  const named = isTyped ? items[findTypedName(names, at, typedName)] : undefined;
  const next = { ArrowDown: others[0], ArrowUp: others.at(-2), Home: items[0], End: items.at(-1) }[key] ?? named;
  if (key === 'Tab') menu.hidePopover();
  else if (next) next.focus();
  else if (!isTyped) return;
  event.preventDefault(); // a space that is typed presses nothing
}

/**
 * Adds a character to the typed name; returns false for other keys. A space presses the item unless a name is typed.
 */
function typeNameAhead({ key, timeStamp, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const isContinued = timeStamp - typedAt < typeAheadMs;
  if ([...key].length !== 1 || ctrlKey || metaKey || altKey || (key === ' ' && !isContinued)) return false;
  typedName = (isContinued ? typedName : '') + key.toLowerCase();
  typedAt = timeStamp;
  return true;
}
