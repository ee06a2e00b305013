/** The bar above the keyboard of a touch screen, while the text of a note has the focus. */
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ContentEditor, FormatCommand } from './content-editor.ts';
import { findTextControl } from './text-control.ts';

interface FormatButton {
  readonly command: FormatCommand;
  readonly label: string;
  /** The icon, in a square of 24. */
  readonly iconPath: string;
}

const markdownButtons: readonly FormatButton[] = [
  { command: 'list', label: 'List', iconPath: 'M9 6h11M9 12h11M9 18h11M4.5 6v.1M4.5 12v.1M4.5 18v.1' },
  { command: 'task', label: 'Task', iconPath: 'M4 4h16v16H4zM8 12.5l3 3 5.5-7' },
  { command: 'code', label: 'Code', iconPath: 'M8 8l-4 4 4 4M16 8l4 4-4 4M13.5 6l-3 12' },
  { command: 'bold', label: 'Bold', iconPath: 'M7 4h6a4 4 0 0 1 0 8H7zM7 12h7a4 4 0 0 1 0 8H7z' },
];

const codeButtons: readonly FormatButton[] = [
  { command: 'outdent', label: 'Outdent', iconPath: 'M4 5h16M11 10h9M11 14h9M4 19h16M7 9l-3 3 3 3' },
  { command: 'indent', label: 'Indent', iconPath: 'M4 5h16M11 10h9M11 14h9M4 19h16M4 9l3 3-3 3' },
];

const undoButtons: readonly FormatButton[] = [
  { command: 'undo', label: 'Undo', iconPath: 'M4 10h11a5 5 0 0 1 0 10h-4M8 6l-4 4 4 4' },
  { command: 'redo', label: 'Redo', iconPath: 'M20 10H9a5 5 0 0 0 0 10h4M16 6l4 4-4 4' },
];

const isContentEditor = (element: unknown): element is ContentEditor =>
  element instanceof HTMLElement && element.localName === 'content-editor';

function findContentEditor(form: HTMLFormElement | null): ContentEditor | undefined {
  const control = findTextControl(form, 'content');
  return isContentEditor(control) ? control : undefined;
}

export function FormatBar() {
  const ref = useRef<HTMLDivElement>(null);
  const isShown = useSignal(false);
  const isCode = useSignal(false);

  useLayoutEffect(() => {
    const form = ref.current?.closest('form');
    if (!form) return;
    const leaving = new AbortController();
    const { signal } = leaving;
    let isPressed = false;
    const followFormat = () => {
      isCode.value = findContentEditor(form)?.isCode ?? false;
    };
    const look = () => {
      if (isPressed) return;
      followFormat();
      const { activeElement } = document;
      isShown.value = isContentEditor(activeElement) || ref.current?.contains(activeElement) === true;
    };
    form.addEventListener('formatchange', followFormat, { signal });
    form.addEventListener('focusin', look, { signal });
    form.addEventListener('focusout', ({ relatedTarget }) => relatedTarget === null && look(), { signal });
    // A press moves the focus. If the bar left then, its click would miss a button that stood above the bar.
    document.addEventListener(
      'mousedown',
      () => {
        isPressed = true;
      },
      { signal, capture: true },
    );
    document.addEventListener(
      'mouseup',
      () =>
        setTimeout(() => {
          isPressed = false; // the click has been handled
          look();
        }),
      { signal, capture: true },
    );
    look();
    startPaddingAboveKeyboard(form, signal);
    return () => leaving.abort();
  }, []);

  function run(command: FormatCommand): void {
    findContentEditor(ref.current?.closest('form') ?? null)?.runFormatCommand(command);
  }

  const buttons = [...(isCode.value ? codeButtons : markdownButtons), ...undoButtons];
  return (
    <div
      ref={ref}
      class="format-bar"
      role="toolbar"
      aria-label="Format"
      hidden={!isShown.value}
      onMouseDown={(event) => event.preventDefault()} // the caret and the keyboard stay
    >
      {buttons.map(({ command, label, iconPath: path }) => (
        <button
          key={command}
          type="button"
          class="btn btn-ghost"
          aria-label={label}
          title={label}
          onClick={() => run(command)}
        >
          <svg
            class="size-5"
            viewBox="0 0 24 24"
            fill="none"
            stroke="currentColor"
            stroke-width="1.8"
            stroke-linecap="round"
            stroke-linejoin="round"
            aria-hidden="true"
          >
            <path d={path} />
          </svg>
        </button>
      ))}
    </div>
  );
}

/** Keeps the end of a form above the keyboard, which covers a part of the window in most browsers. */
function startPaddingAboveKeyboard(form: HTMLElement, signal: AbortSignal): void {
  const { visualViewport: viewport } = window;
  const follow = () => {
    if (!viewport) return;
    const covered = innerHeight - viewport.height * viewport.scale - viewport.offsetTop;
    form.style.paddingBlockEnd = covered > 1 ? `${covered}px` : '';
  };
  viewport?.addEventListener('resize', follow, { signal });
  viewport?.addEventListener('scroll', follow, { signal });
  follow();
}
