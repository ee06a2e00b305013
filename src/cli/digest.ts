/** Identifies a text by its SHA-256. A weaker hash could collide, and a collision would lose a note. */
export const digest = (text: string): string => Bun.CryptoHasher.hash('sha256', text, 'base64');
