/** The languages of fences besides shell and CSS; a script of its own, as most notes need none. */
import { StreamLanguage, type StreamParser } from '@codemirror/language';
import { c, cpp, csharp, dart, java, kotlin, scala } from '@codemirror/legacy-modes/mode/clike';
import { less, sCSS } from '@codemirror/legacy-modes/mode/css';
import { diff } from '@codemirror/legacy-modes/mode/diff';
import { dockerFile } from '@codemirror/legacy-modes/mode/dockerfile';
import { go } from '@codemirror/legacy-modes/mode/go';
import { haskell } from '@codemirror/legacy-modes/mode/haskell';
import { javascript, json, typescript } from '@codemirror/legacy-modes/mode/javascript';
import { lua } from '@codemirror/legacy-modes/mode/lua';
import { nginx } from '@codemirror/legacy-modes/mode/nginx';
import { perl } from '@codemirror/legacy-modes/mode/perl';
import { powerShell } from '@codemirror/legacy-modes/mode/powershell';
import { properties } from '@codemirror/legacy-modes/mode/properties';
import { python } from '@codemirror/legacy-modes/mode/python';
import { r } from '@codemirror/legacy-modes/mode/r';
import { ruby } from '@codemirror/legacy-modes/mode/ruby';
import { rust } from '@codemirror/legacy-modes/mode/rust';
import { standardSQL } from '@codemirror/legacy-modes/mode/sql';
import { swift } from '@codemirror/legacy-modes/mode/swift';
import { toml } from '@codemirror/legacy-modes/mode/toml';
import { html, xml } from '@codemirror/legacy-modes/mode/xml';
import { yaml } from '@codemirror/legacy-modes/mode/yaml';
import { recognizeNumbers, renameTokens } from './rename-tokens.ts';

/** The names at a fence, separated by spaces, and the language that they stand for. */
const modesByNames: readonly (readonly [names: string, mode: StreamParser<unknown>])[] = [
  ['c h', c],
  ['cpp c++ cc hpp', cpp],
  ['csharp c# cs', csharp],
  ['dart', dart],
  ['java', java],
  ['kotlin kt', kotlin],
  ['scala', scala],
  ['less', less],
  ['scss sass', sCSS],
  ['diff patch', diff],
  ['dockerfile docker', dockerFile],
  ['go golang', go],
  ['haskell hs', haskell],
  ['javascript js jsx mjs', javascript],
  ['json jsonc', renameTokens(json, { 'string property': 'propertyName' })],
  ['typescript ts tsx', typescript],
  ['lua', lua],
  ['nginx', nginx],
  ['perl pl', perl],
  ['powershell ps1 pwsh', powerShell],
  ['ini properties conf', recognizeNumbers(properties)],
  ['python py', python],
  ['r', r],
  ['ruby rb', ruby],
  ['rust rs', rust],
  ['sql', standardSQL],
  ['swift', swift],
  ['toml', toml],
  ['html', html],
  ['xml svg', xml],
  ['yaml yml', renameTokens(yaml, { atom: 'propertyName', meta: null, def: 'meta' })],
];

const languagesByName = new Map<string, StreamLanguage<unknown>>();

/** The language with a name such as `py`, as at a fence; undefined if it is unknown. */
export function findLanguageByName(name: string): StreamLanguage<unknown> | undefined {
  const known = languagesByName.get(name);
  if (known) return known;
  const mode = modesByNames.find(([names]) => names.split(' ').includes(name))?.[1];
  if (!mode) return undefined;
  const language = StreamLanguage.define(mode);
  languagesByName.set(name, language);
  return language;
}
