const timeUnits = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** The time until `now` (ms since 1970) in whole units of the largest kind; 0 seconds below a minute. */
export function toElapsedTime(since: string, now: number): { readonly count: number; readonly unit: Unit } {
  const seconds = (now - Date.parse(since)) / 1000;
  const found = timeUnits.find(([, length]) => seconds >= length);
  return found === undefined ? { count: 0, unit: 'second' } : { count: Math.floor(seconds / found[1]), unit: found[0] };
}

type Unit = (typeof timeUnits)[number][0] | 'second';
