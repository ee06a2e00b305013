/** Formats numbers for people. */

/** Formats a number with commas: `1,234`. */
export const formatNumber = (number: number) => Math.round(number).toLocaleString('en-US');

/** Formats a number of notes: `1 note`, `1,234 notes`. */
export const formatNoteCount = (notes: number) => (notes === 1 ? '1 note' : `${formatNumber(notes)} notes`);

const units = ['KiB', 'MiB', 'GiB'] as const;

/** Formats bytes for people. */
export function formatByteSize(bytes: number): string {
  const power = bytes < 2 ** 20 / 10 ? 0 : bytes < 2 ** 30 ? 1 : 2;
  const size = bytes / 1024 ** (power + 1);
  return `${power === 0 ? Math.ceil(size) : size.toFixed(1)} ${units[power]}`;
}
