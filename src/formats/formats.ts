import { code } from './code.ts';
import { chatgpt, claude } from './foreign/conversations.ts';
import { espanso } from './foreign/espanso.ts';
import { masscode } from './foreign/masscode.ts';
import { memos } from './foreign/memos.ts';
import { navi } from './foreign/navi.ts';
import { pet } from './foreign/pet.ts';
import { raycast } from './foreign/raycast.ts';
import { editorChats } from './foreign/sessions.ts';
import { vscodeSnippets } from './foreign/vscode-snippets.ts';
import { json, ndjson } from './json.ts';
import { isHidden, markdown } from './markdown.ts';
import type { Format, Source } from './record.ts';

/** In order of recognition: formats that claim any folder with such files come last. */
export const formats: readonly Format[] = [
  ndjson,
  json,
  chatgpt,
  claude,
  masscode,
  memos,
  editorChats,
  vscodeSnippets,
  raycast,
  espanso,
  pet,
  navi,
  markdown,
  code,
];

/**
 * A file with an ending of these is what that says, as a text may quote anything. Snippets in YAML, TOML and Markdown
 * would be code or a text by their ending.
 */
const byEnding: readonly Format[] = [espanso, pet, navi, markdown, code];

/**
 * The format of a source that starts with `head`; undefined if none recognizes it. A folder of nothing but `.json` files
 * under any names holds conversations, as programs beside ChatGPT and Claude save them.
 */
export function formatOf(source: Source, head: string): Format | undefined {
  const inOrder = [...(source.files.length === 0 ? byEnding : []), ...formats];
  return inOrder.find((format) => format.recognizes(source, head)) ?? (isJsonFolder(source) ? chatgpt : undefined);
}

const isJsonFolder = ({ files }: Source) => {
  const shown = files.filter((path) => !isHidden(path));
  return shown.length > 0 && shown.every((path) => /\.json$/i.test(path));
};
