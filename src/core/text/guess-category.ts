/**
 * Guesses the category of a pasted text by signs that are hardly anywhere else. When in doubt there is no guess: a
 * wrong category hides a note more than none.
 *
 * Example: `git checkout {{branch}}` begins with a command of a shell and an argument, so it is a command although it
 * has a placeholder. `git is a tool for teams` goes on like a sentence, so it is none.
 */
import type { Note } from '../note.ts';
import { listDistinctPlaceholders } from '../placeholders.ts';
import { assistantNamesPattern, userNamesPattern } from './chat-speakers.ts';
import { detectCodeLanguage } from './detect-code.ts';

type Category = Note['category'];

/** No more characters of a text are looked at: the beginning shows what it is. */
const maxLength = 10_000;

/** Returns the category that a text seems to belong to; undefined if that is in doubt. */
export function guessCategory(text: string): Category | undefined {
  const start = text.slice(0, maxLength).replace(/\r\n?/g, '\n').trim();
  const lines = start.split('\n').filter((line) => line.trim() !== '');
  return guesses.find(({ matches }) => matches(start, lines))?.category;
}

interface Guess {
  readonly category: Category;
  /** Gets the text without blanks around it, and its lines that are not blank. */
  readonly matches: (text: string, lines: readonly string[]) => boolean;
}

const shellFence = /^```(?:ba|z|fi)?sh\n|^```(?:shell|console|terminal)\n/;
const cssFence = /^```(?:s?css|less)\n/;

/** The first that matches counts. */
const guesses: readonly Guess[] = [
  { category: 'bash-commands', matches: (text) => isSingleFence(text) && shellFence.test(text) },
  { category: 'css', matches: (text) => isSingleFence(text) && cssFence.test(text) },
  { category: 'chat-tool', matches: (_, lines) => hasTurns(lines) },
  { category: 'bash-commands', matches: isShell },
  { category: 'prompts', matches: (text) => listDistinctPlaceholders(text).length > 0 },
  { category: 'css', matches: isCss },
  { category: 'host-town', matches: isHostList },
  { category: 'prompts', matches: (text) => /^(?:you are an? |act as |i want you to act as )/i.test(text) },
];

const isSingleFence = (text: string) => /^```[\w-]*\n[\s\S]*\n```$/.test(text) && text.match(/^```/gm)?.length === 2;

const assistant = `(?:${assistantNamesPattern})(?:-[\\w.]+)?`;
const turn = new RegExp(`^[#* ]*(?:${userNamesPattern}|${assistant})(?: said)?[* ]*:`, 'i');
const assistantTurn = new RegExp(`^[#* ]*${assistant}(?: said)?[* ]*:`, 'i');

/** Two speakers take turns. The lines `User: root` and `You: must` alone are of other texts. */
function hasTurns(lines: readonly string[]): boolean {
  const turns = lines.filter((line) => turn.test(line));
  return turns.length > 1 && turns.some((line) => assistantTurn.test(line));
}

const prompt = /^(?:\[?[\w.-]+@[\w.-]+[: ][^\n$#%]*\]?[$#%]|[$❯]|%) +(?=\S)/;

/** Commands that are no words of English; the others need an option, a path or another sign of a shell. */
const commands =
  'git|gh|docker|docker-compose|podman|kubectl|helm|terraform|ansible(?:-\\w+)?|vagrant|npm|npx|yarn|pnpm|pip3?|pipx|uv|poetry|brew|apt|apt-get|dnf|yum|pacman|snap|curl|wget|ssh|ssh-\\w+|scp|rsync|sftp|grep|egrep|rg|sed|awk|tar|unzip|gunzip|gzip|chmod|chown|systemctl|journalctl|ffmpeg|ffprobe|psql|mysql|mysqldump|pg_dump|redis-cli|sqlite3|cargo|rustup|python3?|deno|tsc|ls|mkdir|rmdir|rm|cp|mv|cd|ln|xargs|jq|yq|openssl|iptables|ufw|lsof|netstat|ps|du|df|tmux|nmap|traceroute|nslookup|ifconfig|adb|aws|gcloud|az|crontab|useradd|usermod|passwd|mkfs(?:\\.\\w+)?|dd|nginx|certbot|pm2|printf|chsh|killall|pkill|pgrep|nohup|vim|nano|code';
const wordyCommands =
  'make|find|sort|cut|watch|test|time|kill|head|tail|cat|open|touch|echo|source|man|which|history|alias|split|join|paste|read|wait|set|node|bun|go|ping|dig|host|screen|less|more|tree|top|env|ip|ss|uniq|tee|diff|date|for|while|if|until|stat|file|who|at|tr|wc|xclip|pbcopy|pbpaste|say|type|exec|trap|unset|eval';
const assignments = '(?:[A-Z_][A-Z\\d_]*=\\S* +)*';
const plainCommand = new RegExp(`^${assignments}(?:sudo +(?:-\\w+ +)*)?(?:${commands}) +(\\S+)`);
const wordyCommand = new RegExp(`^${assignments}(?:sudo +(?:-\\w+ +)*)?(?:${wordyCommands}) +\\S`);
const sudo = /^sudo +\S/;
const exported = /^export [A-Za-z_]\w*=/;
/** An option, a path, a quoted text, an assignment, a variable, a pipe, or the end of a block. */
const shellSign =
  /(?:^|\s)(?:--?[a-z]|["'~./*]\S|\w+=\S|\$[\w({])|\$[({\w]|\s\|\s|\s>{1,2}\s?\S|&&|; (?:do|then)\b|\w\/\w/i;
/** The word after a command in a sentence about it. */
const goesOnInProse =
  /^(?:is|are|was|were|has|have|had|can|could|does|will|would|should|vs\.?|versus|and|or|for|the|an?|as|in|on|of|to|with|but|so|also|tutorial|basics|cheat\w*|commands?|tips|notes?)$/i;
const isSentence = (line: string) => /^(?:\S+ ){4,}\S+[.?!]$/.test(line) && !shellSign.test(line);

function isCommand(line: string): boolean {
  const [, argument = ''] = plainCommand.exec(line) ?? [];
  if (exported.test(line)) return true;
  if (argument !== '') return !(goesOnInProse.test(argument) || isSentence(line));
  return (wordyCommand.test(line) || sudo.test(line)) && shellSign.test(line) && !isSentence(line);
}

function isShell(text: string, lines: readonly string[]): boolean {
  const [first = ''] = lines;
  if (/^#!.*\b(?:ba|z|fi|da|k)?sh\b/.test(first) || prompt.test(first)) return true;
  if (first.startsWith('#!')) return false;
  if (lines.length > 1 && detectCodeLanguage(text) === 'bash') return true;
  const joined = text.replace(/\\\n\s*/g, ' ').split('\n');
  const written = joined.filter((line) => line.trim() !== '' && !/^#(?!!)/.test(line));
  return written.length > 0 && written.every((line) => isCommand(line.trim()));
}

const rule =
  /^(?:@(?:import|charset) [^\n]*;|@(?:media|supports|font-face|keyframes|layer|container|property)\b[^{}]*\{|(?!(?:export|interface|type|class|struct|enum|function|return|if|for|while|switch|server|http|location)\b)[\w.#:*&>+~,\-[\]="'()^$|% \n]*[\w\])*]\s*\{\s*(?:(?:--[\w-]+|[a-z-]+)\s*:\s*[^{};"]*[^{};\s][^{};]*[;}]|(?:&|@|\.)[^{}]*\{))/;
const leadingComments = /^(?:\/\*[\s\S]*?\*\/\s*)+/;
const declaration =
  /^(?:--[\w-]+|(?:background|border|box|flex|grid|font|text|margin|padding|overflow|align|justify|place|transition|animation|backdrop|scroll|line|letter|white|word|object|max|min|z|user|pointer|outline|list|mask|clip|will|mix|inset|aspect)-[a-z-]+|display|position|color|width|height|margin|padding|border|background|opacity|transform|transition|animation|filter|gap|inset|cursor|overflow|content|float|font|grid|flex|appearance|visibility): ?[^;{}]+;$/;

function isCss(text: string, lines: readonly string[]): boolean {
  if (rule.test(text.replace(leadingComments, ''))) return !/=>|\b(?:const|let|var|function|return) /.test(text);
  const isDeclared = lines.length > 0 && lines.every((line) => declaration.test(line.trim()));
  return isDeclared || (lines.length > 1 && detectCodeLanguage(text) === 'css');
}

const sshHost = /^ *Host +\S|^ *Host[Nn]ame[ :=]+\S/m;
const byte = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)';
const address = new RegExp(
  [
    `(?<![\\w.])(?:${byte}\\.){3}${byte}(?![\\w.]\\w)`,
    '(?<![\\w:])(?:[\\da-f]{1,4}(?::[\\da-f]{1,4}){0,6})?::[\\da-f]{1,4}(?::[\\da-f]{1,4}){0,6}(?![\\w:])',
    '(?<![\\w.@/])(?:[a-z\\d-]+\\.)+[a-z]{2,}:\\d{2,5}\\b',
    '^(?:[a-z\\d-]+\\.)+(?:com|net|org|io|dev|local|lan|internal|home|de|eu|uk|fr|ch|at|nl|cloud|app)$',
    '^(?:https?|ssh|s?ftp|smb|nfs|rdp|vnc)://[^\\s/]+/?$',
  ].join('|'),
  'i',
);
/** Texts with more lines than this are about something else, even if each has an address, as in a log. */
const maxHosts = 20;

function isHostList(text: string, lines: readonly string[]): boolean {
  if (sshHost.test(text)) return true;
  const written = lines.filter((line) => !line.startsWith('#'));
  return written.length > 0 && written.length <= maxHosts && written.every((line) => address.test(line.trim()));
}
