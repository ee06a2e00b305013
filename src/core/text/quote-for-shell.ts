/** A text as one word of a POSIX shell. */
export const quoteForShell = (text: string) =>
  /^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
