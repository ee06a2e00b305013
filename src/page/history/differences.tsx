import { valueFields } from '../../core/enums.ts';
import type { Note, NoteDraft } from '../../core/note.ts';
import { hasSameDraftFields } from '../../core/versions.ts';
import { createPageWorkerClient, reportUnlessUnavailable } from '../markdown/page-worker.ts';
import { isCodeCategory } from '../markdown/plain-text.ts';
import { VisibleText } from '../markdown/rendered-content.tsx';
import { useLoaded } from '../state/signal-helpers.ts';
import { formatValueLabel } from '../ui/format-for-page.ts';
import { ScrollArea } from '../ui/modal.tsx';
import type { DiffLine, DiffPiece, LineDiff } from './line-diff.ts';

type ComparedFields = Pick<Note, 'title' | 'content'>;

type ComparisonJob = Readonly<{ before: ComparedFields; after: ComparedFields }>;

export type Comparison = Readonly<Record<keyof ComparedFields, LineDiff>>;

type MergeJob = Readonly<Record<'base' | 'mine' | 'theirs', NoteDraft>>;

/** `base`: undefined if it is not known any more. */
type OverlappingMergeJob = Readonly<Record<'mine' | 'theirs', NoteDraft> & { base: NoteDraft | undefined }>;

/** What the worker that compares can be asked. */
export type ComparisonMethods = {
  compare(job: ComparisonJob): Comparison;
  merge(job: MergeJob): NoteDraft | undefined;
  mergeKeepingBoth(job: OverlappingMergeJob): NoteDraft;
};

/** Limit of a comparison, in ms. */
const comparisonTimeoutMs = 5_000;

const comparisonWorker = createPageWorkerClient<ComparisonMethods>('diffWorker');

/** Compares in a worker; undefined if that takes too long or fails, or is aborted. */
export const compareInWorker = (job: ComparisonJob, signal: AbortSignal): Promise<Comparison | undefined> =>
  comparisonWorker
    .request('compare', [job], { signal, timeoutMs: comparisonTimeoutMs })
    .catch((error) => reportUnlessUnavailable(error, signal));

/** Merges in a worker; undefined if changes touch, or if that takes too long or fails, or is aborted. */
export const mergeInWorker = (job: MergeJob, signal: AbortSignal): Promise<NoteDraft | undefined> =>
  comparisonWorker
    .request('merge', [job], { signal, timeoutMs: comparisonTimeoutMs })
    .catch((error) => reportUnlessUnavailable(error, signal));

/** Merges in a worker, with both versions of what both have changed; undefined as above. */
export const mergeKeepingBothInWorker = (
  job: OverlappingMergeJob,
  signal: AbortSignal,
): Promise<NoteDraft | undefined> =>
  comparisonWorker
    .request('mergeKeepingBoth', [job], { signal, timeoutMs: comparisonTimeoutMs })
    .catch((error) => reportUnlessUnavailable(error, signal));

type ComparedVersions = Readonly<{ version: Note; note: Note }>;

interface DifferencesProps extends ComparedVersions {
  /** What the older and the newer version are called, if the newer one is not the current note. */
  readonly labels: readonly [older: string, newer: string] | undefined;
}

const currentLabels = ['this version', 'the current note'] as const;

export const Differences = ({ version, note, labels: [older, newer] = currentLabels }: DifferencesProps) => (
  <ScrollArea class="differences flex flex-col gap-3 overflow-y-auto px-(--gutter) py-3" label="Differences">
    {!hasSameDraftFields(version, note) && (
      <p class="flex justify-between gap-4 muted text-sm">
        <span>
          <b>−</b> old: {older}
        </span>
        <span>
          <b>+</b> new: {newer}
        </span>
      </p>
    )}
    {valueFields
      .filter((name) => version[name] !== note[name])
      .map((name) => (
        <p key={name} class="text-sm">
          <span class="muted capitalize">{name}</span> <del>{formatValueLabel(version[name])}</del>{' '}
          <ins>{formatValueLabel(note[name])}</ins>
        </p>
      ))}
    <TextDifferences key={`${version.updatedAt} ${note.updatedAt}`} version={version} note={note} />
  </ScrollArea>
);

/** Appears after a delay, so that quick responses do not flicker. */
export const DelayedStatus = ({ children }: { children: string }) => (
  <p class="p-5 text-sm transition-opacity delay-200 duration-0 starting:opacity-0" role="status">
    {children}
  </p>
);

function TextDifferences({ version, note }: ComparedVersions) {
  const compared = useLoaded(
    async (signal) => (await compareInWorker({ before: version, after: note }, signal)) ?? 'timeout',
    [],
  );
  if (!compared.value) return <DelayedStatus>Comparing …</DelayedStatus>;
  if (compared.value === 'timeout') return <p>The texts differ too much to compare.</p>;
  const { title, content } = compared.value;
  return (
    <>
      {title.rows.length > 0 && <TextDiff name="Title" diff={title} dir="auto" />}
      {content.rows.length > 0 && (
        <TextDiff name="Content" diff={content} dir={isCodeCategory(note.category) ? 'ltr' : 'auto'} />
      )}
    </>
  );
}

type DiffProps = Readonly<{ name: string; diff: LineDiff; dir: 'auto' | 'ltr' }>;

const TextDiff = ({ name, diff, dir }: DiffProps) => (
  <div>
    <h3 class="muted text-sm">{name}</h3>
    <DiffRows diff={diff} dir={dir} />
  </div>
);

type RowsProps = Omit<DiffProps, 'name'> & {
  /** The only text whose lines are shown, then without signs and in colors that do not say old and new. */
  readonly side?: 'removed' | 'added';
};

export const DiffRows = ({ diff: { rows, isWhole }, dir, side }: RowsProps) => (
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

const lineSigns = { same: '', removed: '−', added: '+' } as const;
const spokenLineSigns = { same: '', removed: 'Old: ', added: 'New: ' } as const;

type LineRowProps = Readonly<{ line: DiffLine; dir: DiffProps['dir']; hasSign: boolean }>;

const LineRow = ({ line: { kind, pieces }, dir, hasSign }: LineRowProps) => (
  <div class={`diff-line ${hasSign ? `diff-${kind}` : `block ${kind === 'same' ? '' : 'diff-own'}`}`}>
    {hasSign && (
      <>
        <span class="select-none" aria-hidden="true">
          {lineSigns[kind]}
        </span>
        <span class="sr-only select-none">{spokenLineSigns[kind]}</span>
      </>
    )}
    <span dir={dir}>
      {pieces.map((piece, index) => (
        <PieceText key={index} piece={piece} mark={findPieceMark(kind, hasSign)} />
      ))}
    </span>
  </div>
);

/** The element of words that the other text lacks. Without signs, neither text is the old one. */
function findPieceMark(kind: DiffLine['kind'], hasSign: boolean): 'mark' | 'del' | 'ins' {
  if (!hasSign) return 'mark';
  return kind === 'removed' ? 'del' : 'ins';
}

function PieceText({ piece: { kind, text }, mark: Mark }: { piece: DiffPiece; mark: 'mark' | 'del' | 'ins' }) {
  if (kind === 'cut') return <i class="muted"> … {Number(text).toLocaleString()} characters … </i>;
  if (kind === 'plain') return <VisibleText text={text} />;
  return (
    <Mark>
      <VisibleText text={text} />
    </Mark>
  );
}
