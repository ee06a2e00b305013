import { NoteError } from '../core/error.ts';
import type { Note } from '../core/note.ts';
import { parsed } from '../core/tools/json.ts';

/** `note`: a changed note in its current state; `reset`: earlier changes are lost, so the list must be read again. */
export type NoteEvent =
  | { readonly kind: 'note'; readonly note: Note; readonly cursor: string }
  | { readonly kind: 'reset'; readonly cursor: string };

export interface EventOptions {
  /** The cursor of a list or of the last event, from which to continue; default: now. */
  readonly cursor?: string | undefined;
  /** Ends the events when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the stream opens or breaks. */
  readonly onStream?: (isOpen: boolean) => void;
}

/** Opens the stream of events after a cursor. Throws `NoteError` if the service has none. */
type OpenEvents = (cursor: string | undefined, signal: AbortSignal) => Promise<Response>;

/** The service sends something every 15 s; after this silence, in ms, the stream counts as broken. */
const silenceMs = 45_000;
const pauseMs = 1_000;

/**
 * Yields events endlessly. Reopens a broken stream after a second, at the last cursor. Throws if it cannot be opened
 * the first time, or is later refused for another reason than an unavailable service.
 */
export async function* eventsOf(
  open: OpenEvents,
  { cursor, signal, onStream = () => {} }: EventOptions,
): AsyncGenerator<NoteEvent, void, void> {
  const position = { cursor };
  let wasOpen = false;
  while (!signal?.aborted) {
    const attempt = new AbortController();
    const abort = () => attempt.abort();
    signal?.addEventListener('abort', abort, { once: true });
    const late = setTimeout(abort, silenceMs);
    try {
      const answer = await open(position.cursor, attempt.signal).finally(() => clearTimeout(late));
      wasOpen = true;
      onStream(true);
      yield* eventsIn(answer, position, abort);
    } catch (error) {
      const isAway = !(error instanceof NoteError) || error.code === 'unreachable' || error.retry;
      if (!signal?.aborted && !(wasOpen && isAway)) throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
      attempt.abort();
      onStream(false);
    }
    await pause(signal);
  }
}

async function* eventsIn(
  answer: Response,
  position: { cursor: string | undefined },
  giveUp: () => void,
): AsyncGenerator<NoteEvent, void, void> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const silence = setTimeout(giveUp, silenceMs);
    const next = await reader?.read().finally(() => clearTimeout(silence));
    if (next?.value === undefined) return;
    const frames = (rest + next.value).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const { id = position.cursor, event, data } = fieldsOf(frame);
      position.cursor = id;
      const noteEvent = eventOf(event, data, id ?? '');
      if (noteEvent !== undefined) yield noteEvent;
    }
  }
}

/** The fields of a frame. This service writes each at most once. */
const fieldsOf = (frame: string): Partial<Record<string, string>> =>
  Object.fromEntries(frame.split('\n').map((line) => line.split(/: (.*)/s, 2)));

function eventOf(event: string | undefined, data: string | undefined, cursor: string): NoteEvent | undefined {
  if (event === 'reset') return { kind: 'reset', cursor };
  if (event !== 'note' || data === undefined) return undefined;
  return { kind: 'note', note: parsed(data) as Note, cursor };
}

function pause(signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, pauseMs);
  if (signal?.aborted) resolve();
  signal?.addEventListener('abort', () => resolve(), { once: true });
  return promise.finally(() => clearTimeout(timer));
}
