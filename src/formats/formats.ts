import { code } from './code.ts';
import { foreignFormats } from './foreign/formats.ts';
import { json, ndjson } from './json.ts';
import { markdown } from './markdown.ts';
import type { Format, Source } from './record.ts';

/** In the order in which they are asked whether they know a source: those that know any folder with such files, last. */
export const formats: readonly Format[] = [ndjson, json, ...foreignFormats, markdown, code];

/** The format of a source of which `head` is the start; undefined when none knows it. */
export const formatOf = (source: Source, head: string): Format | undefined =>
  formats.find((format) => format.recognizes(source, head));
