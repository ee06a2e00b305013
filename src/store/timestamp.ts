let lastMs = Number.NaN;
let lastText = '';

/** ISO 8601 of a time in ms. Neighbours often share one, and both times of a new note are the same. */
export function timestamp(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}
