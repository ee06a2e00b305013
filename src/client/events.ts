import { NoteError } from '../domain/error.ts';
import type { Note } from '../domain/note.ts';
import { parsed } from '../shared/json.ts';

/** A note that was written, as it is now; or that the list has to be read anew, as what was written before is not known. */
export type NoteEvent =
  | { readonly kind: 'note'; readonly note: Note; readonly cursor: string }
  | { readonly kind: 'reset'; readonly cursor: string };

export interface EventOptions {
  /** Of a list, or of the last event: what was written later is told. Left out, what is written from now on. */
  readonly cursor?: string | undefined;
  /** Ends the events when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Told when the stream has opened, and when it has broken. */
  readonly onStream?: (isOpen: boolean) => void;
}

/** Opens the stream of events after a cursor. Throws `NoteError` where there is none. */
export type OpenEvents = (cursor: string | undefined, signal: AbortSignal) => Promise<Response>;

/** The service says something every 15 s: one that is silent for so long, in ms, is gone. */
const silenceMs = 45_000;
const pauseMs = 1_000;

/**
 * What is written, without an end. A stream that breaks is opened again after a second and goes on where it was. Throws when it
 * cannot be opened at first, or is refused later on for another reason than that the service is away.
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
    if (next?.value === undefined) return; // the end
    const frames = (rest + next.value).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const { id = position.cursor, event, data } = fieldsOf(frame);
      position.cursor = id;
      const told = eventOf(event, data, id ?? '');
      if (told !== undefined) yield told;
    }
  }
}

/** The fields of a frame, as this service writes them: each at most once. */
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
