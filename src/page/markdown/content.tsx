import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Note } from '../../core/note.ts';
import { truncate } from '../ui/format.ts';
import type { CodeLanguage } from './code.ts';
import { isMarkdown } from './plain-text.ts';
import { type Rendered, type RenderJob, render } from './renderer.ts';
import { trustedHtml } from './trusted-types.ts';
import { VisibleText } from './visible-text.tsx';

/** In characters. Longer texts are shown plain and cut to this length, which browsers lay out in a frame or two. */
const maxRendered = 100 * 1024;

/** Copies a code block. `isShell`: without prompts, unless `isExact`. */
export type Copy = (text: string, how: { readonly isShell: boolean; readonly isExact: boolean }) => void;

/** Attaches behaviour to task boxes and links to notes in rendered HTML. `text`: its source. */
type Activate = (rendered: HTMLElement, text: string) => void;

interface ContentProps {
  readonly note: Pick<Note, 'category' | 'content'>;
  readonly raw: boolean;
  readonly copy: Copy;
  /** Without it, task boxes are read-only. */
  readonly activate?: Activate;
  /** Whether the text is being typed; if so, it is not shown plain while it is being rendered. */
  readonly isTyped?: boolean;
}

/** The content of a note, rendered by category. */
export function Content({ note, raw, isTyped = false, ...answers }: ContentProps): JSX.Element {
  const { category, content: text } = note;
  if (category === 'css') return <Code text={text} language="css" isTyped={isTyped} />;
  if (category === 'bash-commands') return <Code text={text} language="bash" isTyped={isTyped} />;
  if (isMarkdown(category) && !raw) return <Markdown text={text} isTyped={isTyped} {...answers} />;
  return <Text text={text} raw />;
}

/** In ms. The note stays blank this long, as a switch from plain to rendered text would flicker. */
const blankMs = 100;

type Outcome =
  | { readonly kind: 'coming' | 'plain' }
  | { readonly kind: 'rendered'; readonly text: string; readonly rendered: Rendered };

/** Renders a text in the worker. The previous outcome stays until the next one is ready. */
function useRendered({ format, text }: RenderJob, isTyped: boolean): Outcome {
  const outcome = useSignal<Outcome>({ kind: 'coming' });
  useLayoutEffect(() => {
    let isOver = text.length > maxRendered;
    const leaving = new AbortController();
    const end = (rendered?: Rendered) => {
      clearTimeout(timer);
      if (!isOver) outcome.value = rendered ? { kind: 'rendered', text, rendered } : { kind: 'plain' };
    };
    const isBlank = outcome.peek().kind === 'coming' && !isTyped;
    const timer = isBlank ? setTimeout(end, blankMs) : undefined;
    if (!isOver) void render({ format, text }, leaving.signal).then(end);
    return () => {
      isOver = true;
      leaving.abort();
      clearTimeout(timer);
    };
  }, [format, text]);
  return text.length > maxRendered ? { kind: 'plain' } : outcome.value;
}

type Answers = Pick<ContentProps, 'copy' | 'activate'>;

function Markdown({ text, isTyped, ...answers }: Answers & { text: string; isTyped: boolean }) {
  const outcome = useRendered({ format: 'markdown', text }, isTyped);
  if (outcome.kind === 'rendered') return <RenderedMarkdown {...outcome} {...answers} />;
  return outcome.kind === 'plain' ? <Text text={text} raw={false} /> : null;
}

function RenderedMarkdown({ text, rendered, copy, activate }: Answers & Extract<Outcome, { kind: 'rendered' }>) {
  const { html, blocks } = rendered;
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (ref.current) activate?.(ref.current, text);
  }, [text]);
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

const region = { class: 'note-code', role: 'region', 'aria-label': 'Code', tabIndex: 0, dir: 'ltr' } as const;

function Code({ text, language, isTyped }: { text: string; language: CodeLanguage; isTyped: boolean }) {
  const outcome = useRendered({ format: language, text }, isTyped);
  if (outcome.kind === 'coming') return null;
  if (outcome.kind === 'rendered') return <HighlightedCode html={outcome.rendered.html} />;
  return (
    <LongText text={text}>
      {(shown) => (
        <pre {...region}>
          <VisibleText text={shown} />
        </pre>
      )}
    </LongText>
  );
}

const HighlightedCode = ({ html }: { html: string }) => <pre {...region} dangerouslySetInnerHTML={useHtml(html)} />;

function Text({ text, raw }: { text: string; raw: boolean }) {
  const style = [raw && 'note-raw', text.length > maxRendered && 'note-long'].filter(Boolean).join(' ');
  return (
    <LongText text={text}>
      {(shown) => (
        <pre class={`note-text ${style}`} dir="auto">
          {shown}
        </pre>
      )}
    </LongText>
  );
}

/** The start of a long text, the rest on demand: laying out a megabyte may take seconds. */
function LongText({ text, children }: { text: string; children: (shown: string) => ComponentChildren }) {
  const isWhole = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  const shown = isWhole.value ? text : truncate(text, maxRendered);
  const showAll = () => {
    isWhole.value = true;
    box.current?.focus();
  };
  return (
    <div ref={box} tabIndex={-1}>
      {children(shown)}
      {shown.length < text.length && (
        <p class="note-rest">
          The first {shown.length.toLocaleString()} of {text.length.toLocaleString()} characters are shown.{' '}
          <button type="button" class="btn btn-sm touch no-print" onClick={showAll}>
            Show all
          </button>
        </p>
      )}
    </div>
  );
}
