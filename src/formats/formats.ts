import { code } from './code.ts';
import { foreignFormats } from './foreign/formats.ts';
import { json, ndjson } from './json.ts';
import { markdown } from './markdown.ts';
import type { Format, Source } from './record.ts';

/** In order of recognition: formats that claim any folder with such files come last. */
export const formats: readonly Format[] = [ndjson, json, ...foreignFormats, markdown, code];

/** The format of a source that starts with `head`; undefined if none recognizes it. */
export const formatOf = (source: Source, head: string): Format | undefined =>
  formats.find((format) => format.recognizes(source, head));
