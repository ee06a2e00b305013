import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { Note } from '../../domain/note.ts';
import { lazily } from '../lazily.ts';
import type { Language } from './code.ts';
import { splitUnseen } from './unseen.ts';

const formOf = {
  css: 'css',
  'host-town': 'text',
  prompts: 'markdown',
  notes: 'markdown',
  'chat-tool': 'markdown',
  'editor-chats': 'markdown',
  'bash-commands': 'bash',
} as const satisfies Record<Note['category'], Language | 'markdown' | 'text'>;

/** So many characters are read as code or as Markdown, or are shown at first: a browser lays them out in a frame or two. */
const limit = 100 * 1024;

type Copy = (text: string) => void;

/** Whether the category has a form besides the raw text. */
export const hasForm = (category: Note['category']): boolean => formOf[category] === 'markdown';

/** The content of a note, made readable by its category. */
export function Content({ note, raw, copy }: { note: Note; raw: boolean; copy: Copy }): JSX.Element {
  const form = formOf[note.category];
  if (form === 'css' || form === 'bash') return <Code text={note.content} language={form} />;
  if (form === 'markdown' && !raw) return <Markdown text={note.content} copy={copy} />;
  return <Text text={note.content} raw={raw} />;
}

const markdownPart = lazily(() => import('./markdown.ts'));
const codePart = lazily(() => import('./code.ts'));

function Markdown({ text, copy }: { text: string; copy: Copy }) {
  const markdown = text.length > limit ? undefined : markdownPart()?.markdown;
  const rendered = useMemo(() => markdown?.(text), [markdown, text]);
  if (!rendered) return <Text text={text} raw={false} />;

  const copyBlock = ({ target }: Event) => {
    const index = target instanceof HTMLElement ? target.dataset['block'] : undefined;
    const block = rendered.blocks[Number(index)];
    if (block !== undefined) copy(block);
  };
  // biome-ignore lint/a11y: what is clicked, or pressed by a key, is a button inside
  return <div class="markdown" dir="auto" onClick={copyBlock} dangerouslySetInnerHTML={{ __html: rendered.html }} />;
}

const region = { class: 'note-code', role: 'region', 'aria-label': 'Code', tabIndex: 0, dir: 'ltr' } as const;

function Code({ text, language }: { text: string; language: Language }) {
  const code = text.length > limit ? undefined : codePart()?.code;
  const html = useMemo(() => code?.(text, language), [code, text, language]);
  if (html !== undefined) return <pre {...region} dangerouslySetInnerHTML={{ __html: html }} />;
  return (
    <Opening text={text}>
      {(shown) => (
        <pre {...region}>
          <Marked text={shown} />
        </pre>
      )}
    </Opening>
  );
}

function Text({ text, raw }: { text: string; raw: boolean }) {
  const style = [raw && 'note-raw', text.length > limit && 'note-long'].filter(Boolean).join(' ');
  return (
    <Opening text={text}>
      {(shown) => (
        <pre class={`note-text ${style}`} dir="auto">
          {shown}
        </pre>
      )}
    </Opening>
  );
}

function Marked({ text }: { text: string }) {
  return splitUnseen(text).map((piece) =>
    typeof piece === 'string' ? (
      piece
    ) : (
      <span class="unseen" data-code={piece.code} title={piece.title}>
        {piece.character}
      </span>
    ),
  );
}

/** Never half of a character. */
const openingOf = (text: string) => text.slice(0, limit).replace(/[\ud800-\udbff]$/, '');

/** The beginning of a long text, and all of it on demand: a megabyte takes a browser a tenth of a second or many seconds. */
function Opening({ text, children }: { text: string; children: (shown: string) => ComponentChildren }) {
  const isWhole = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  const shown = isWhole.value ? text : openingOf(text);
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
