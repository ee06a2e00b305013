/** micromark's decoder of character references, which is never called, needs a `document` when it is loaded. */
Object.assign(globalThis, { document: { createElement: () => ({}) } });
