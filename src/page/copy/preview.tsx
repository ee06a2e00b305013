import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { type Piece, piecesOf } from '../../core/placeholders.ts';
import { part } from '../../core/tools/text.ts';
import { VisibleText } from '../markdown/visible-text.tsx';
import { ScrollArea } from '../ui/scroll-area.tsx';

interface PreviewProps {
  readonly text: string;
  readonly values: ReadonlyMap<string, string>;
  /** The name whose field has the focus; its first occurrence is scrolled into view. */
  readonly current: string | undefined;
}

/** In characters. More would be slow to render on each key press. */
const max = 10_000;

/** The text to be copied, with values and blanks marked. */
export function FilledText({ text, values, current }: PreviewProps) {
  const pieces = useMemo(() => piecesOf(part(text, max)), [text]);
  const ref = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const element = current === undefined ? null : ref.current?.querySelector(`[data-name="${CSS.escape(current)}"]`);
    if (ref.current && element instanceof HTMLElement) ref.current.scrollTop = element.offsetTop - 32;
  }, [current]);
  return (
    <ScrollArea
      box={ref}
      class="relative max-h-60 min-h-16 shrink-0 overflow-y-auto rounded-field bg-base-200 p-3 font-mono text-[0.8125rem] break-words whitespace-pre-wrap"
      label="Preview"
      dir="auto"
    >
      {pieces.map((piece, index) => (
        <PreviewPiece key={index} {...piece} value={values.get(piece.name ?? '')} />
      ))}
    </ScrollArea>
  );
}

interface PieceProps extends Piece {
  readonly value: string | undefined;
}

function PreviewPiece({ text, name, value }: PieceProps) {
  if (name === undefined) return <VisibleText text={text} />;
  const isBlank = value === undefined;
  return (
    <span data-name={name} class={isBlank ? 'outline-1 outline-dashed' : 'bg-primary/20'}>
      {isBlank ? text : <VisibleText text={part(value, max)} />}
    </span>
  );
}
