import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Note } from '../../domain/note.ts';
import { VisibleText } from '../markdown/visible-text.tsx';
import { valueName } from '../ui/format.ts';
import { ScrollArea } from '../ui/scroll-area.tsx';
import { type Comparison, compare } from './compare.ts';
import type { Gap, Line, LineDiff, Piece } from './line-diff.ts';

interface Versions {
  readonly version: Note;
  readonly note: Note;
}

/** `comparison`: undefined after a timeout. */
interface Outcome extends Versions {
  readonly comparison: Comparison | undefined;
}

/** The outcome of a comparison; undefined while it runs. */
function useComparison({ version, note }: Versions): Outcome | undefined {
  const outcome = useSignal<Outcome | undefined>(undefined);
  useEffect(() => {
    let isOver = false;
    void compare(version, note).then((comparison) => {
      if (!isOver) outcome.value = { version, note, comparison };
    });
    return () => {
      isOver = true;
    };
  }, [version, note]);
  return outcome.value?.version === version && outcome.value.note === note ? outcome.value : undefined;
}

/** The differences between a version and the current note. */
export function Differences({ version, note }: Versions) {
  const outcome = useComparison({ version, note });
  return (
    <ScrollArea class="differences" label="Differences">
      <p class="muted text-sm">
        <b>−</b> this version, <b>+</b> current note
      </p>
      <ShortFields version={version} note={note} />
      {!outcome && <Waiting>Comparing …</Waiting>}
      {outcome?.comparison && <Texts comparison={outcome.comparison} note={note} />}
      {outcome && !outcome.comparison && <p>The texts differ too much to compare.</p>}
    </ScrollArea>
  );
}

/** Appears after a delay, so that quick responses do not flicker. */
export const Waiting = ({ children }: { children: string }) => (
  <p class="p-5 text-sm transition-opacity delay-200 duration-0 starting:opacity-0" role="status">
    {children}
  </p>
);

const shortFields = ['category', 'group', 'color'] as const;

const ShortFields = ({ version, note }: Versions) => (
  <>
    {shortFields
      .filter((name) => version[name] !== note[name])
      .map((name) => (
        <p key={name} class="text-sm">
          <span class="muted capitalize">{name}</span> <del>{valueName(version[name])}</del>{' '}
          <ins>{valueName(note[name])}</ins>
        </p>
      ))}
  </>
);

const isLeftToRight = ({ category }: Note) => category === 'css' || category === 'bash-commands';

function Texts({ comparison: { title, content }, note }: { comparison: Comparison; note: Note }) {
  return (
    <>
      {title.rows.length > 0 && <Diff name="Title" diff={title} dir="auto" />}
      {content.rows.length > 0 && <Diff name="Content" diff={content} dir={isLeftToRight(note) ? 'ltr' : 'auto'} />}
    </>
  );
}

interface DiffProps {
  readonly name: string;
  readonly diff: LineDiff;
  readonly dir: 'auto' | 'ltr';
}

const Diff = ({ name, diff: { rows, isWhole }, dir }: DiffProps) => (
  <div>
    <h3 class="muted text-sm">{name}</h3>
    <div class="diff">
      {rows.map((row, index) =>
        row.kind === 'gap' ? <GapRow key={index} gap={row} /> : <LineRow key={index} line={row} dir={dir} />,
      )}
    </div>
    {!isWhole && <p class="muted text-sm">Not all differing lines are shown.</p>}
  </div>
);

const GapRow = ({ gap: { lines } }: { gap: Gap }) => (
  <p class="diff-gap muted text-sm">{lines.toLocaleString()} equal lines</p>
);

const signs = { same: '', removed: '−', added: '+' } as const;
const spoken = { same: '', removed: 'Then: ', added: 'Now: ' } as const;

const LineRow = ({ line: { kind, pieces }, dir }: { line: Line; dir: DiffProps['dir'] }) => (
  <div class={`diff-line diff-${kind}`}>
    <span class="select-none" aria-hidden="true">
      {signs[kind]}
    </span>
    <span class="sr-only select-none">{spoken[kind]}</span>
    <span dir={dir}>
      {pieces.map((piece, index) => (
        <PieceText key={index} piece={piece} kind={kind} />
      ))}
    </span>
  </div>
);

function PieceText({ piece: { kind, text }, kind: side }: { piece: Piece; kind: Line['kind'] }) {
  if (kind === 'cut') return <i class="muted"> … {Number(text).toLocaleString()} characters … </i>;
  if (kind === 'plain') return <VisibleText text={text} />;
  return side === 'removed' ? (
    <del>
      <VisibleText text={text} />
    </del>
  ) : (
    <ins>
      <VisibleText text={text} />
    </ins>
  );
}
