/**
 * Frames of server-sent events. Clients take the cursor in `id:` with the empty line that ends its frame, and have all
 * that was written up to it by then: so a stream may be cut at any byte. It has no empty line before its first `id:`,
 * as `EventSource` would forget the last one there.
 */

/** Precedes the first frame. */
export const start = 'retry: 1000\n';

/** Passes on a cursor, and keeps the connection alive. */
export const cursorFrame = (cursor: string) => `id: ${cursor}\n\n`;

/** Tells a listener to read the list again. */
export const resetFrame = (cursor: string) => `event: reset\ndata: {}\n${cursorFrame(cursor)}`;

/** Notes as JSON; only the last one has the cursor after them. */
export function noteFrames(notes: readonly string[], cursor: string): string {
  const frames = notes.map((json) => `event: note\ndata: ${json}\n`);
  return frames.length > 0 ? frames.join('\n') + cursorFrame(cursor) : '';
}
