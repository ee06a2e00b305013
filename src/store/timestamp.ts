let lastMs = Number.NaN;
let lastText = '';

/** Formats ms since 1970 as ISO 8601. Caches the last one, since neighbours often share a time. */
export function timestamp(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}
