/**
 * Activity of Gemini in a Google Takeout, `My Activity/Gemini Apps/MyActivity.json`: a list of prompts with their
 * responses as HTML, the newest first, `{header, title, time, safeHtmlItem: [{html}]}`. A title is a verb in the language
 * of the account, and the prompt: "Prompted How does it work?". Few records have a `titleUrl` that names a conversation;
 * the others are joined by day (UTC). Seen in github.com/kenn-io/agentsview, internal/parser/gemini_apps_takeout.go (the
 * same records as HTML), and in readers of the JSON, which found the verbs Prompted, Branched, Answered, Asked.
 *
 * Brought: prompts, responses as Markdown, also further drafts, names of attached files and pictures. Left out: activity
 * without a prompt, such as feedback, names of Gems and answers of surveys (`subtitles`), other products.
 */
import { invalid } from '../../core/error.ts';
import type { Fields } from '../../core/json/json.ts';
import type { NoteFormat } from '../note-format.ts';
import { tryCreateOriginKey } from '../origin.ts';
import { createForeignRecord, type ReadRecord } from '../record.ts';
import { readEachMatchingFile, readFileText, type SourceFile } from '../source.ts';
import { toArray, toObject, toText, tryParseBoundedJson, tryParseTimestamp } from '../untyped-values.ts';
import { convertHtmlToMarkdown } from './html-to-markdown.ts';
import { findOpeningText, formatAttachmentLabel, formatTranscript, type Turn, userSpeaker } from './transcript.ts';

const assistant = 'Gemini';

export const geminiFormat: NoteFormat = {
  name: 'gemini',
  description: "Gemini's activity of a takeout: MyActivity.json",
  recognizes: ({ files }, head) =>
    files.length === 0 &&
    /^\ufeff?\s*\[\s*\{/.test(head) &&
    /"(header|products)"\s*:\s*\[?\s*"(Gemini|Bard)\b/.test(head) &&
    /"title"\s*:/.test(head),
  read: (source) => readEachMatchingFile(source, /\.json$/i, readActivityRecords),
};

interface Activity {
  readonly time: string;
  /** Of the conversation, if it is known, else the day. */
  readonly group: string;
  readonly isDay: boolean;
  readonly turns: readonly Turn[];
}

const otherProduct = 'It is activity of another program than Gemini';
const noPrompt = 'It is activity of Gemini without a prompt, such as feedback';

async function* readActivityRecords(file: SourceFile): AsyncGenerator<ReadRecord, void, void> {
  const value = tryParseBoundedJson(await readFileText(file));
  if (!Array.isArray(value)) throw invalid(`${file.name} holds no activity: it is no JSON array`);
  const records = value.map(toObject);
  const ofGemini = records.filter(isGeminiActivity);
  const verb = findPromptVerb(ofGemini);
  const prompts = ofGemini.filter((record) => isPromptRecord(record, verb));
  yield* createLeftOutCountRecord(file.name, otherProduct, records.length - ofGemini.length);
  yield* createLeftOutCountRecord(file.name, noPrompt, ofGemini.length - prompts.length);
  const activities: Activity[] = [];
  for (const record of prompts) activities.push(await createActivity(record, verb, file.modifiedAt));
  const inOrder = activities.sort((one, other) => (one.time < other.time ? -1 : Number(one.time > other.time)));
  for (const [group, some] of Map.groupBy(inOrder, (activity) => activity.group))
    yield createDayOrConversationRecord(file, group, some);
}

function* createLeftOutCountRecord(location: string, reason: string, count: number): Generator<ReadRecord, void, void> {
  if (count > 0) yield { kind: 'left out', location, reason, count };
}

const isGeminiActivity = ({ header, products }: Fields) =>
  [header, ...toArray(products)].some((name) => /^(Gemini|Bard)\b/.test(toText(name)));

const knownVerbs: readonly string[] = ['Prompted', 'Asked', 'Asked:', 'Said', 'Branched', 'Answered'];

const findFirstTitleWord = ({ title }: Fields) => /^\S+/.exec(toText(title))?.[0] ?? '';

/** The word that begins most titles of prompts, in the language of the account; empty if there is none. */
function findPromptVerb(records: readonly Fields[]): string {
  const withResponses = records.filter(({ safeHtmlItem }) => toArray(safeHtmlItem).length > 0);
  const counts = [...Map.groupBy(withResponses, findFirstTitleWord)].sort(
    ([, some], [, others]) => others.length - some.length,
  );
  const [verb = '', { length } = []] = counts[0] ?? [];
  return length >= 3 && length * 2 > withResponses.length ? verb : '';
}

const beginsWithVerb = (record: Fields, verb: string) =>
  [verb, ...knownVerbs].includes(findFirstTitleWord(record) || ' ');

const isPromptRecord = (record: Fields, verb: string) =>
  toArray(record['safeHtmlItem']).length > 0 || beginsWithVerb(record, verb);

async function createActivity(record: Fields, verb: string, otherwise: Date): Promise<Activity> {
  const title = toText(record['title']);
  const prompt = beginsWithVerb(record, verb) ? title.replace(/^\S+\s*/, '') : title;
  const time = tryParseTimestamp(record['time']) ?? otherwise.toISOString();
  const conversation = /\/app\/(\w+)/.exec(toText(record['titleUrl']))?.[1];
  const turns: Turn[] = [prompt, ...listAttachmentLabels(record)].map((text) => ({ speaker: userSpeaker, text }));
  for (const item of toArray(record['safeHtmlItem']))
    turns.push({ speaker: assistant, text: await convertHtmlToMarkdown(toText(toObject(item)['html'])) });
  return { time, group: conversation ?? time.slice(0, 10), isDay: conversation === undefined, turns };
}

function listAttachmentLabels({ imageFile, attachedFiles, audioFiles }: Fields): readonly string[] {
  const formatNames = (kind: string, value: unknown) =>
    [value].flat().flatMap((name) => (typeof name === 'string' ? [formatAttachmentLabel(kind, name)] : []));
  return [
    ...formatNames('Image', imageFile),
    ...formatNames('File', attachedFiles),
    ...formatNames('Recording', audioFiles),
  ];
}

/** A day is named by its first prompt as well, as two accounts have the same days. */
function createDayOrConversationRecord(
  { name, modifiedAt }: SourceFile,
  group: string,
  activities: readonly Activity[],
): ReadRecord {
  const [first] = activities;
  const turns = activities.flatMap((activity) => activity.turns);
  const opening = findOpeningText(turns);
  const isDay = first?.isDay === true;
  return createForeignRecord(`${isDay ? 'day' : 'conversation'} ${group} of ${name}`, {
    title: isDay ? `Gemini ${group}: ${opening.trim()}` : opening,
    content: formatTranscript(turns),
    category: 'chat-tool',
    color: 'secondary',
    createdAt: first?.time,
    updatedAt: activities.at(-1)?.time,
    otherwise: modifiedAt,
    origin: tryCreateOriginKey('gemini', isDay ? (first?.time ?? '') : group),
  });
}
