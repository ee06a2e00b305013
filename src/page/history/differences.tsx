import { valueFields } from '../../core/enums.ts';
import type { Note } from '../../core/note.ts';
import { hasSameFields } from '../../core/versions.ts';
import { VisibleText } from '../markdown/content.tsx';
import { createPageWorker, unlessUnavailable } from '../markdown/page-worker.ts';
import { isCode } from '../markdown/plain-text.ts';
import { useLoaded } from '../state/effects.ts';
import { valueName } from '../ui/format.ts';
import { ScrollArea } from '../ui/modal.tsx';
import type { DiffLine, DiffPiece, LineDiff } from './line-diff.ts';

type Compared = Pick<Note, 'title' | 'content'>;

type ComparisonJob = Readonly<{ before: Compared; after: Compared }>;

export type Comparison = Readonly<Record<keyof Compared, LineDiff>>;

/** What the worker that compares can be asked. */
export type ComparisonMethods = {
  compare(job: ComparisonJob): Comparison;
};

/** Limit of a comparison, in ms. */
const timeoutMs = 5_000;

const comparer = createPageWorker<ComparisonMethods>('diffWorker');

/** Compares in a worker; undefined if that takes too long or fails, or is aborted. */
export const compare = (job: ComparisonJob, signal: AbortSignal): Promise<Comparison | undefined> =>
  comparer.request('compare', [job], { signal, timeoutMs }).catch((error) => unlessUnavailable(error, signal));

type Versions = Readonly<{ version: Note; note: Note }>;

export const Differences = ({ version, note }: Versions) => (
  <ScrollArea class="differences flex flex-col gap-3 overflow-y-auto px-(--gutter) py-3" label="Differences">
    {!hasSameFields(version, note) && (
      <p class="muted text-sm">
        <b>−</b> current note, <b>+</b> this version
      </p>
    )}
    {valueFields
      .filter((name) => version[name] !== note[name])
      .map((name) => (
        <p key={name} class="text-sm">
          <span class="muted capitalize">{name}</span> <del>{valueName(note[name])}</del>{' '}
          <ins>{valueName(version[name])}</ins>
        </p>
      ))}
    <Texts key={`${version.updatedAt} ${note.updatedAt}`} version={version} note={note} />
  </ScrollArea>
);

/** Appears after a delay, so that quick responses do not flicker. */
export const DifferencesWait = ({ children }: { children: string }) => (
  <p class="p-5 text-sm transition-opacity delay-200 duration-0 starting:opacity-0" role="status">
    {children}
  </p>
);

function Texts({ version, note }: Versions) {
  const compared = useLoaded(
    async (signal) => (await compare({ before: note, after: version }, signal)) ?? 'timeout',
    [],
  );
  if (!compared.value) return <DifferencesWait>Comparing …</DifferencesWait>;
  if (compared.value === 'timeout') return <p>The texts differ too much to compare.</p>;
  const { title, content } = compared.value;
  return (
    <>
      {title.rows.length > 0 && <Diff name="Title" diff={title} dir="auto" />}
      {content.rows.length > 0 && <Diff name="Content" diff={content} dir={isCode(note.category) ? 'ltr' : 'auto'} />}
    </>
  );
}

type DiffProps = Readonly<{ name: string; diff: LineDiff; dir: 'auto' | 'ltr' }>;

const Diff = ({ name, diff, dir }: DiffProps) => (
  <div>
    <h3 class="muted text-sm">{name}</h3>
    <Rows diff={diff} dir={dir} />
  </div>
);

type RowsProps = Omit<DiffProps, 'name'> & {
  /** The only text whose lines are shown, then without signs. */
  readonly side?: 'removed' | 'added';
};

export const Rows = ({ diff: { rows, isWhole }, dir, side }: RowsProps) => (
  <>
    <div class="mt-1 overflow-hidden rounded-box border border-base-300 font-mono text-sm/[1.6]">
      {rows.map((row, index) => {
        if (row.kind === 'gap') {
          return (
            <p key={index} class="muted bg-(--pane) py-1 ps-7 text-sm">
              {row.lines.toLocaleString()} unchanged
            </p>
          );
        }
        if (side && row.kind !== 'same' && row.kind !== side) return null;
        return <LineRow key={index} line={row} dir={dir} hasSign={side === undefined} />;
      })}
    </div>
    {!isWhole && <p class="muted text-sm">Not all differing lines are shown.</p>}
  </>
);

const signs = { same: '', removed: '−', added: '+' } as const;
const spoken = { same: '', removed: 'Now: ', added: 'Then: ' } as const;

type LineRowProps = Readonly<{ line: DiffLine; dir: DiffProps['dir']; hasSign: boolean }>;

const LineRow = ({ line: { kind, pieces }, dir, hasSign }: LineRowProps) => (
  <div class={`diff-line diff-${kind} ${hasSign ? '' : 'block'}`}>
    {hasSign && (
      <>
        <span class="select-none" aria-hidden="true">
          {signs[kind]}
        </span>
        <span class="sr-only select-none">{spoken[kind]}</span>
      </>
    )}
    <span dir={dir}>
      {pieces.map((piece, index) => (
        <PieceText key={index} piece={piece} kind={kind} />
      ))}
    </span>
  </div>
);

function PieceText({ piece: { kind, text }, kind: side }: { piece: DiffPiece; kind: DiffLine['kind'] }) {
  if (kind === 'cut') return <i class="muted"> … {Number(text).toLocaleString()} characters … </i>;
  if (kind === 'plain') return <VisibleText text={text} />;
  const Mark = side === 'removed' ? 'del' : 'ins';
  return (
    <Mark>
      <VisibleText text={text} />
    </Mark>
  );
}
