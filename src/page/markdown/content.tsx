import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Note } from '../../core/note.ts';
import { Button } from '../ui/buttons.tsx';
import { truncate } from '../ui/format.ts';
import { splitInvisible } from './invisible-characters.ts';
import { codeLanguage, hasMarkdown, withoutMarks } from './plain-text.ts';
import type { Rendered, RenderJob } from './render-job.ts';
import { render } from './renderer.ts';
import { trustedHtml } from './trusted-types.ts';

/** In characters. Longer texts are shown plain and cut to this length, which browsers lay out in a frame or two. */
const maxRendered = 100 * 1024;

/** Copies a code block. `isShell`: without prompts, unless `isExact`. */
export type Copy = (text: string, how: { readonly isShell: boolean; readonly isExact: boolean }) => void;

/** Attaches behaviour to task boxes and links to notes in rendered HTML. `text`: its source. */
type Activate = (rendered: HTMLElement, text: string) => void;

type Source = Pick<Note, 'category' | 'content'> & { readonly id?: Note['id']; readonly title: string };

/** `blank`: nothing yet, for a moment; `skeleton`: nothing yet, and it takes long. */
type Rendering =
  | { readonly kind: 'blank' | 'skeleton' }
  /** `isRaw`: in letters of one width. */
  | { readonly kind: 'plain'; readonly isRaw: boolean }
  | { readonly kind: 'html'; readonly text: string; readonly rendered: Rendered };

type Shown<Shape extends Source> = Readonly<{ note: Shape; rendering: Rendering }>;

/** In ms. The former note stays this long while the next one is rendered: plain text on the way would flicker. */
const staleMs = 150;

function jobOf({ category, content: text }: Source, isRaw: boolean): RenderJob | undefined {
  if (text.length > maxRendered) return undefined;
  const format = codeLanguage(category) ?? (hasMarkdown(category) && !isRaw ? 'markdown' : undefined);
  return format && { format, text };
}

/** The rendered note; until it is ready the former one, or the former rendering of the same one. */
export function useRendering<Shape extends Source>(note: Shape, isRaw: boolean): Shown<Shape> {
  const job = jobOf(note, isRaw);
  const plain: Rendering = { kind: 'plain', isRaw: isRaw || !hasMarkdown(note.category) };
  const last = useSignal<Shown<Shape>>({ note, rendering: { kind: 'blank' } });
  useLayoutEffect(() => {
    const leaving = new AbortController();
    const show = (rendering: Rendering) => {
      clearTimeout(timer);
      if (!leaving.signal.aborted) last.value = { note, rendering };
    };
    const { note: former, rendering } = last.peek();
    const isStale = former.id !== note.id || rendering.kind === 'blank';
    const timer = isStale ? setTimeout(() => show({ kind: 'skeleton' }), staleMs) : undefined;
    if (!job) show(plain);
    else {
      void render(job, leaving.signal).then((rendered) =>
        show(rendered ? { kind: 'html', text: job.text, rendered } : plain),
      );
    }
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [note.id, job?.format, job?.text]);
  if (!job) return { note, rendering: plain };
  return last.value.note.id === note.id ? { ...last.value, note } : last.value;
}

interface Answers {
  readonly copy: Copy;
  /** Without it, task boxes are read-only. */
  readonly activate?: Activate;
}

type ContentProps = Answers & Shown<Source>;

export function Content({ note, rendering, ...answers }: ContentProps): JSX.Element | null {
  const { category, content, title } = note;
  const isText = codeLanguage(category) === undefined;
  switch (rendering.kind) {
    case 'blank':
      return null;
    case 'skeleton':
      return <div class="note-skeleton" />;
    case 'html':
      if (isText) return <RenderedMarkdown {...rendering} {...answers} title={title} />;
      return <HighlightedCode html={rendering.rendered.html} category={category} />;
    case 'plain':
      return <PlainText text={content} category={category} isRaw={rendering.isRaw} />;
  }
}

export const TypedContent = ({ note, copy }: Pick<ContentProps, 'note' | 'copy'>) => (
  <Content {...useRendering(note, false)} copy={copy} />
);

type MarkdownProps = Answers & Readonly<{ title: string; text: string; rendered: Rendered }>;

function RenderedMarkdown({ title, text, rendered, copy, activate }: MarkdownProps) {
  const { html, blocks } = rendered;
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (ref.current) activate?.(ref.current, text);
    const first = ref.current?.firstElementChild;
    if (first instanceof HTMLHeadingElement)
      first.hidden = [title.trim(), withoutMarks(title).trim()].includes(first.textContent.trim());
  }, [text, title]);
  const copyBlock = ({ target, shiftKey }: MouseEvent) => {
    const data = target instanceof HTMLElement ? target.dataset : {};
    const block = blocks[Number(data['block'])];
    if (block !== undefined) copy(block, { isShell: 'shell' in data, isExact: shiftKey });
  };
  const inserted = useHtml(html, activate && unticked(html));
  // biome-ignore lint/a11y: the buttons inside are the interactive elements
  return <div ref={ref} class="markdown" dir="auto" onClick={copyBlock} dangerouslySetInnerHTML={inserted} />;
}

/** HTML without ticks: new HTML would drop the focus of a ticked box. Texts of notes have their `"` escaped. */
const unticked = (html: string) => html.replaceAll(' checked=""', '');

/** HTML for `dangerouslySetInnerHTML`; the same object for the same `key`, so that Preact inserts it once. */
const useHtml = (html: string, key = html) => useMemo(() => ({ __html: trustedHtml(html) }), [key]);

const region = (category: Note['category']) =>
  ({
    class: `note-code ${category === 'bash-commands' ? 'is-wrapped' : ''}`,
    role: 'region',
    'aria-label': 'Code',
    tabIndex: 0,
    dir: 'ltr',
  }) as const;

const HighlightedCode = ({ html, category }: { html: string; category: Note['category'] }) => (
  <div class="code-block">
    <pre {...region(category)} dangerouslySetInnerHTML={useHtml(html)} />
  </div>
);

/** The start of a long text, the rest on demand: laying out a megabyte may take seconds. */
function PlainText({ text, category, isRaw }: { text: string; category: Note['category']; isRaw: boolean }) {
  const isWhole = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  const shown = isWhole.value ? text : truncate(text, maxRendered);
  const showAll = () => {
    isWhole.value = true;
    box.current?.focus();
  };
  return (
    <div ref={box} tabIndex={-1}>
      {codeLanguage(category) ? (
        <div class="code-block">
          <pre {...region(category)}>
            <VisibleText text={shown} />
          </pre>
        </div>
      ) : (
        <pre class={`note-text ${isRaw ? 'note-raw' : ''} ${text.length > maxRendered ? 'note-long' : ''}`} dir="auto">
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
  return splitInvisible(text).map((piece) =>
    typeof piece === 'string' ? (
      piece
    ) : (
      <span class="invisible-character" data-code={piece.code} title={piece.title}>
        {piece.character}
      </span>
    ),
  );
}
