import { NoteError } from '../core/error.ts';
import { tryParseJson } from '../core/json/json.ts';
import type { Note } from '../core/note.ts';
import { looksLikeNote } from './service-response.ts';

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
  /** Called when other notes are pinned than before. */
  readonly onPins?: () => void;
}

/** Opens the stream of events after a cursor. Throws `NoteError` if the service has none. */
type OpenEventStream = (cursor: string | undefined, signal: AbortSignal) => Promise<Response>;

/** Where to continue after the stream has broken. */
interface StreamPosition {
  cursor: string | undefined;
}

/** The service sends something every 15 s; after this silence, in ms, the stream counts as broken. */
const silenceMs = 45_000;
const reconnectDelayMs = 1_000;

/**
 * Yields events endlessly. Reopens a broken stream after a second, at the last cursor. Throws if the stream cannot be
 * opened the first time, or if the service later rejects it for another reason than being unavailable.
 */
export async function* streamNoteEvents(
  openStream: OpenEventStream,
  { cursor, signal, onStream = () => {}, onPins = () => {} }: EventOptions,
): AsyncGenerator<NoteEvent, void, void> {
  const position: StreamPosition = { cursor };
  let wasOpened = false;
  while (!signal?.aborted) {
    const connection = new AbortController();
    const disconnect = () => connection.abort();
    signal?.addEventListener('abort', disconnect, { once: true });
    const openTimeout = setTimeout(disconnect, silenceMs);
    try {
      const response = await openStream(position.cursor, connection.signal).finally(() => clearTimeout(openTimeout));
      wasOpened = true;
      onStream(true);
      yield* streamEventsAndAdvanceCursor(response, position, { disconnect, onPins });
    } catch (error) {
      if (!signal?.aborted && !(wasOpened && isTemporaryFailure(error))) throw error;
    } finally {
      signal?.removeEventListener('abort', disconnect);
      disconnect();
      onStream(false);
    }
    await waitForReconnectDelayOrAbort(signal);
  }
}

/** Whether the service may be back soon. Errors that are no `NoteError` come from a broken connection. */
const isTemporaryFailure = (error: unknown): boolean =>
  !(error instanceof NoteError) || error.code === 'unreachable' || error.retry;

/**
 * Yields the events of one connection until it ends, and moves `position` along. Calls `disconnect` if the service is
 * silent for too long, and `onPins` for an event about pins.
 */
async function* streamEventsAndAdvanceCursor(
  response: Response,
  position: StreamPosition,
  { disconnect, onPins }: { readonly disconnect: () => void; readonly onPins: () => void },
): AsyncGenerator<NoteEvent, void, void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let incompleteFrame = '';
  for (;;) {
    const silenceTimeout = setTimeout(disconnect, silenceMs);
    const next = await reader?.read().finally(() => clearTimeout(silenceTimeout));
    if (next?.value === undefined) return;
    const frames = (incompleteFrame + next.value).split('\n\n');
    incompleteFrame = frames.pop() ?? '';
    for (const frame of frames) {
      const fields = parseFrameFields(frame);
      position.cursor = fields.id ?? position.cursor;
      const noteEvent = tryParseNoteEvent(fields, position.cursor ?? '');
      if (noteEvent !== undefined) yield noteEvent;
      if (fields.event === 'pins') onPins();
    }
  }
}

/** The fields of a frame that this client reads. */
interface FrameFields {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

/**
 * Parses a frame of server-sent events, in which this service writes each field at most once.
 * `id: 7\nevent: note\ndata: {"id":1}` gives `{ id: '7', event: 'note', data: '{"id":1}' }`.
 */
const parseFrameFields = (frame: string): FrameFields =>
  Object.fromEntries(frame.split('\n').map((line) => line.split(/: (.*)/s, 2)));

/** Returns undefined for a frame without an event, such as a comment that keeps the connection open. */
function tryParseNoteEvent({ event, data = '' }: FrameFields, cursor: string): NoteEvent | undefined {
  if (event === 'reset') return { kind: 'reset', cursor };
  const note = event === 'note' ? tryParseJson(data) : undefined;
  return looksLikeNote(note) ? { kind: 'note', note, cursor } : undefined;
}

/** Resolves after the delay, or at once when the signal aborts. */
function waitForReconnectDelayOrAbort(signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, reconnectDelayMs);
  if (signal?.aborted) resolve();
  signal?.addEventListener('abort', () => resolve(), { once: true });
  return promise.finally(() => clearTimeout(timer));
}
