/**
 * micromark's decoder of character references asks for a document when it is loaded, and a worker has none. It is not
 * used: references are left as they are written (see markdown.ts).
 */
Object.assign(globalThis, { document: { createElement: () => ({}) } });
