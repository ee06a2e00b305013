/** Formats numbers for people. */

/** Formats a number with commas: `1,234`. */
export const formatInteger = (number: number) => Math.round(number).toLocaleString('en-US');

/** Formats a number of notes: `1 note`, `1,234 notes`. */
export const formatNoteCount = (notes: number) => (notes === 1 ? '1 note' : `${formatInteger(notes)} notes`);

/** Formats bytes for people. */
export function formatByteSize(bytes: number): string {
  if (bytes < 2 ** 20 / 10) return `${Math.ceil(bytes / 2 ** 10)} KiB`;
  return bytes < 2 ** 30 ? `${(bytes / 2 ** 20).toFixed(1)} MiB` : `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}
