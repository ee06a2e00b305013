const steps = [
  ['y', 365 * 86_400],
  ['mo', 30 * 86_400],
  ['w', 7 * 86_400],
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** How long before `now`, in ms since 1970, a moment was: `3h`, `2w`. */
export function age(timestamp: string, now: number): string {
  const seconds = (now - Date.parse(timestamp)) / 1000;
  const step = steps.find(([, length]) => seconds >= length);
  return step === undefined ? 'now' : `${Math.floor(seconds / step[1])}${step[0]}`;
}
