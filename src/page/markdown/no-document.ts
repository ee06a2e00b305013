/**
 * micromark's decoder of character references needs a `document` when it is loaded, which workers lack. The decoder is
 * never called (see `disabledConstructs` in markdown.ts).
 */
Object.assign(globalThis, { document: { createElement: () => ({}) } });
