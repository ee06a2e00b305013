/** Quotes a text as one word of a POSIX shell: `a b` becomes `'a b'`, `a.txt` stays. */
export const quoteForShell = (text: string) =>
  /^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
