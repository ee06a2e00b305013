import { useSignal } from '@preact/signals';
import type { JSX, RefObject, TargetedMouseEvent } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Note } from '../../core/note.ts';
import { findFrontMatter } from '../../core/text/yaml-front-matter.ts';
import { wrapsCodeLines } from '../note/line-wrapping.ts';
import { Button } from '../ui/buttons.tsx';
import { truncateToUnits } from '../ui/format-for-page.ts';
import { splitAtInvisibleCharacters } from './invisible-characters.ts';
import { findCategoryLanguage, isAlwaysProse, isMarkdownCategory, removeMarkdownSyntax } from './plain-text.ts';
import { renderInWorker } from './render-in-worker.ts';
import type { RenderedNote, RenderJob } from './render-job.ts';
import { toTrustedHtml } from './trusted-types.ts';
import { addTurnCopyButtons, listRenderedTurns } from './turn-copy-buttons.ts';
import { listTurnTexts } from './turn-texts.ts';

/** In characters. Longer texts are shown plain and cut to this length, which browsers lay out in a frame or two. */
const maxRenderedLength = 100 * 1024;

/** What a button in a rendered text copies. `isShell`: without prompts. */
interface CopyablePart {
  readonly kind: 'block' | 'turn';
  readonly text: string;
  readonly isShell: boolean;
}

/** Copies a code block or a turn of a chat; byte for byte if `isExact`. */
export type CopyPart = (part: CopyablePart, isExact: boolean) => void;

/** Attaches behaviour to task boxes and links to notes in rendered HTML. `text`: its source. */
type ActivateHtml = (rendered: HTMLElement, text: string) => void;

type Source = Pick<Note, 'category' | 'content'> & { readonly id?: Note['id']; readonly title: string };

/** `blank`: nothing yet, for a moment; `skeleton`: nothing yet, and it takes long. */
export type Rendering =
  | { readonly kind: 'blank' | 'skeleton' }
  /** `isRaw`: in letters of one width. */
  | { readonly kind: 'plain'; readonly isRaw: boolean }
  | { readonly kind: 'html'; readonly text: string; readonly rendered: RenderedNote };

type ShownRendering<Shape extends Source> = Readonly<{ note: Shape; rendering: Rendering }>;

/** In ms. The former note stays this long while the next one is rendered: plain text on the way would flicker. */
const staleNoteMs = 150;
/** In ms. After it the text is shown as it is, until the rendering arrives: slow machines need longer. */
const plainTextMs = 1_000;

const isChatCategory = (category: Note['category']) => category === 'chat-tool' || category === 'editor-chats';

function tryCreateRenderJob({ category, content: text }: Source, isRaw: boolean): RenderJob | undefined {
  if (text.length > maxRenderedLength) return undefined;
  const language = findCategoryLanguage(category);
  if (language !== undefined) return { format: language, text };
  if (isRaw) return undefined;
  if (isChatCategory(category)) return { format: 'chat', text };
  if (isAlwaysProse(category)) return { format: 'prose', text };
  return { format: isMarkdownCategory(category) ? 'markdown' : 'plain', text };
}

/** The rendered note; until it is ready the former one, or the former rendering of the same one. */
export function useRendering<Shape extends Source>(note: Shape, isRaw: boolean): ShownRendering<Shape> {
  const job = tryCreateRenderJob(note, isRaw);
  const plain: Rendering = { kind: 'plain', isRaw: isRaw || !isMarkdownCategory(note.category) };
  const last = useSignal<ShownRendering<Shape>>({ note, rendering: { kind: 'blank' } });
  useLayoutEffect(() => {
    const leaving = new AbortController();
    const show = (rendering: Rendering) => {
      if (!leaving.signal.aborted) last.value = { note, rendering };
    };
    if (!job) {
      show(plain);
      return;
    }
    const { note: former, rendering } = last.peek();
    const isStale = former.id !== note.id || rendering.kind === 'blank';
    const timers = [setTimeout(() => show(plain), plainTextMs)];
    if (isStale) timers.push(setTimeout(() => show({ kind: 'skeleton' }), staleNoteMs));
    void renderInWorker(job, leaving.signal).then((rendered) => {
      timers.forEach(clearTimeout);
      show(rendered ? { kind: 'html', text: job.text, rendered } : plain);
    });
    return () => {
      timers.forEach(clearTimeout);
      leaving.abort();
    };
  }, [note.id, job?.format, job?.text]);
  if (!job) return { note, rendering: plain };
  return last.value.note.id === note.id ? { ...last.value, note } : last.value;
}

interface ContentHandlers {
  readonly copy: CopyPart;
  /** Without it, task boxes are read-only. */
  readonly activate?: ActivateHtml;
}

type ContentProps = ContentHandlers & ShownRendering<Source>;

export function NoteContent({ note, rendering, ...answers }: ContentProps): JSX.Element | null {
  const { category, content, title } = note;
  switch (rendering.kind) {
    case 'blank':
      return null;
    case 'skeleton':
      return <div class="note-skeleton" />;
    case 'html':
      if (rendering.rendered.isCode) return <HighlightedCode html={rendering.rendered.html} category={category} />;
      return <RenderedMarkdown {...rendering} {...answers} title={title} />;
    case 'plain':
      return <TruncatedText text={content} category={category} isRaw={rendering.isRaw} />;
  }
}

export const PreviewedContent = ({ note, copy }: Pick<ContentProps, 'note' | 'copy'>) => (
  <NoteContent {...useRendering(note, false)} copy={copy} />
);

type MarkdownProps = ContentHandlers & Readonly<{ title: string; text: string; rendered: RenderedNote }>;

function RenderedMarkdown({ title, text, rendered, copy, activate }: MarkdownProps) {
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!ref.current) return;
    activate?.(ref.current, text);
    hideHeadingLikeTitle(ref.current, text, title);
  }, [text, title]);
  const copyPart = ({ target, currentTarget, shiftKey }: TargetedMouseEvent<HTMLElement>) => {
    const part = target instanceof HTMLElement && findPartOfButton(target, currentTarget, text, rendered);
    if (part) copy(part, shiftKey);
  };
  const { html } = rendered;
  const inserted = useTrustedHtml(html, activate && removeCheckedAttributes(html));
  useLineIndents(ref, inserted);
  useLayoutEffect(() => {
    if (ref.current) addTurnCopyButtons(ref.current);
  }, [inserted]);
  // biome-ignore lint/a11y: the buttons inside are the interactive elements
  return <div ref={ref} class="markdown" dir="auto" onClick={copyPart} dangerouslySetInnerHTML={inserted} />;
}

/** Hides a first heading, also one below front matter, that says what stands above the text. */
function hideHeadingLikeTitle(root: HTMLElement, text: string, title: string): void {
  const { firstElementChild } = root;
  const first = findFrontMatter(text) ? firstElementChild?.nextElementSibling : firstElementChild;
  if (first instanceof HTMLHeadingElement)
    first.hidden = [title.trim(), removeMarkdownSyntax(title).trim()].includes(first.textContent.trim());
}

function findPartOfButton(
  { dataset }: HTMLElement,
  root: HTMLElement,
  text: string,
  { blocks, lines }: RenderedNote,
): CopyablePart | undefined {
  const block = blocks[Number(dataset['block'])];
  if (block !== undefined) return { kind: 'block', text: block, isShell: 'shell' in dataset };
  const turn =
    'turn' in dataset ? listTurnTexts(text, listRenderedTurns(root, lines))[Number(dataset['turn'])] : undefined;
  return turn === undefined ? undefined : { kind: 'turn', text: turn, isShell: false };
}

/** HTML without ticks: new HTML would drop the focus of a ticked box. Texts of notes have their `"` escaped. */
const removeCheckedAttributes = (html: string) => html.replaceAll(' checked=""', '');

/** HTML for `dangerouslySetInnerHTML`; the same object for the same `key`, so that Preact inserts it once. */
const useTrustedHtml = (html: string, key = html) => useMemo(() => ({ __html: toTrustedHtml(html) }), [key]);

const createCodeRegionProps = (category: Note['category']) =>
  ({
    class: `note-code ${category === 'bash-commands' ? 'is-wrapped' : ''}`,
    role: 'region',
    'aria-label': 'Code',
    tabIndex: 0,
    dir: 'ltr',
  }) as const;

function HighlightedCode({ html, category }: { html: string; category: Note['category'] }) {
  const ref = useRef<HTMLPreElement>(null);
  const inserted = useTrustedHtml(html);
  useLineIndents(ref, inserted);
  return (
    <div class="code-block">
      <pre ref={ref} {...createCodeRegionProps(category)} dangerouslySetInnerHTML={inserted} />
    </div>
  );
}

/**
 * Lets lines of code that are wrapped go on at their indentation, and breaks long words at their beginning: else the
 * first line would be empty. By script, as the page's policy forbids attributes for styles.
 */
function useLineIndents(box: RefObject<HTMLElement | null>, inserted: unknown): void {
  const wrapsAllCode = wrapsCodeLines.value;
  useLayoutEffect(() => {
    for (const part of box.current?.querySelectorAll<HTMLElement>('[data-indent], [data-long]') ?? []) {
      const { indent } = part.dataset;
      const isWrapped = wrapsAllCode || part.closest('.is-wrapped') !== null;
      if (indent === undefined) part.style.wordBreak = 'break-all';
      else setHangingIndent(part.style, isWrapped ? `min(${indent}ch, 33vw)` : undefined); // as in the editor
    }
  }, [inserted, wrapsAllCode]);
}

function setHangingIndent(style: CSSStyleDeclaration, width: string | undefined): void {
  style.display = width === undefined ? '' : 'block';
  style.paddingInlineStart = width ?? '';
  style.textIndent = width === undefined ? '' : `calc(-1 * ${width})`;
}

/** The start of a long text, the rest on demand: laying out a megabyte may take seconds. */
function TruncatedText({ text, category, isRaw }: { text: string; category: Note['category']; isRaw: boolean }) {
  const isWhole = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  const shown = isWhole.value ? text : truncateToUnits(text, maxRenderedLength);
  const showAll = () => {
    isWhole.value = true;
    box.current?.focus();
  };
  return (
    <div ref={box} tabIndex={-1}>
      {findCategoryLanguage(category) ? (
        <div class="code-block">
          <pre {...createCodeRegionProps(category)}>
            <VisibleText text={shown} />
          </pre>
        </div>
      ) : (
        <pre
          class={`note-text ${isRaw ? 'note-raw' : ''} ${text.length > maxRenderedLength ? 'note-long' : ''}`}
          dir="auto"
        >
          {shown}
        </pre>
      )}
      {shown.length < text.length && (
        <p class="note-rest">
          The first {shown.length.toLocaleString()} of {text.length.toLocaleString()} characters are shown.{' '}
          <Button class="no-print" onClick={showAll}>
            Show all
          </Button>
        </p>
      )}
    </div>
  );
}

export function VisibleText({ text }: { text: string }) {
  return splitAtInvisibleCharacters(text).map((piece) =>
    typeof piece === 'string' ? (
      piece
    ) : (
      <span class="invisible-character" data-code={piece.code} title={piece.title}>
        {piece.character}
      </span>
    ),
  );
}
