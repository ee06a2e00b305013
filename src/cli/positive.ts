import { InvalidArgumentError } from 'commander';

/** A whole number of at least 1 out of a flag. Throws commander's error for what is none. */
export function positive(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, 1 or more.');
  return Number(text);
}
