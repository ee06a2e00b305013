/** A short text for a long one. It is strong: where two texts had one, a note would be lost. */
export const digest = (text: string): string => Bun.CryptoHasher.hash('sha256', text, 'base64');
