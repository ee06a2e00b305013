/**
 * The sentence that all items of a kind share: some end with numbers of their own after a colon, such as "Lines that are
 * not part of it: 2 of the program".
 */
export const toSharedReason = (reason: string): string => reason.replace(/: \d.*$/s, '');
