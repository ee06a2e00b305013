import { InvalidArgumentError } from 'commander';

/** Parses the value of a flag as a whole number of at least 1. Throws `InvalidArgumentError`. */
export function positive(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, 1 or more.');
  return Number(text);
}
