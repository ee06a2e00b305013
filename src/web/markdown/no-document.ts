/**
 * micromark's decoder of character references asks for a document while it is loaded, and a worker has none. It is never
 * used: references are left as they are written (see markdown.ts).
 */
Object.assign(globalThis, { document: { createElement: () => ({}) } });
