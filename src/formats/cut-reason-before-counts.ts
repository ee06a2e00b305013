/**
 * Removes the numbers of an item from the reason why it is left out, so that items of a kind share a sentence.
 *
 * Example: "Lines that are not part of it: 2 of the program" becomes "Lines that are not part of it".
 */
export const cutReasonBeforeCounts = (reason: string): string => reason.replace(/: \d.*$/s, '');
