import { invisiblePattern } from '../../core/text/invisible-patterns.ts';

const controls = /[\p{Cc}\u2028\u2029]/gu;

const controlsInLines = /(?![\t\n])[\p{Cc}\u2028\u2029]/gu;

const replacement = '\ufffd';

/** Returns the Unicode symbol for a control character, such as ␛ for ESC. */
function toControlPicture(control: string): string {
  const code = control.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : replacement;
}

/**
 * Makes a text safe to print as one line: replaces control, bidirectional and invisible characters, since a note may
 * come from anywhere.
 */
export const toPrintableLine = (text: string): string =>
  singleWidthText.test(text) ? text : text.replace(controls, toControlPicture).replace(invisiblePattern, replacement);

/** Quotes a text as JSON does, safe to print. */
export const quotePrintable = (text: string): string => toPrintableLine(JSON.stringify(text));

/** Makes a text of several lines safe to print: as `toPrintableLine`, but line breaks and tabs stay. */
export const toPrintableText = (text: string): string =>
  text.replaceAll('\r\n', '\n').replace(controlsInLines, toControlPicture).replace(invisiblePattern, replacement);

/** Encodes JSON without control characters of terminals: `JSON.stringify` escapes only those below U+0020. */
export const encodePrintableJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\x7f-\x9f]/g, (control) => `\\u00${control.charCodeAt(0).toString(16)}`);

/** Matches texts of characters that are one column wide each, as most texts are. */
export const singleWidthText = /^[ -~]*$/;
