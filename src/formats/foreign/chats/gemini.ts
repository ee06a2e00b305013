/**
 * Activity of Gemini in a Google Takeout, `My Activity/Gemini Apps/MyActivity.json`: a list of prompts with their
 * responses as HTML, the newest first, `{header, title, time, safeHtmlItem: [{html}]}`. A title is a verb in the
 * language of the account, and the prompt: "Prompted How does it work?". Few records have a `titleUrl` that names a
 * conversation; the others are joined by day (UTC). Seen in github.com/kenn-io/agentsview,
 * internal/parser/gemini_apps_takeout.go (the same records as HTML), and in readers of the JSON, which found the verbs
 * Prompted, Branched, Answered, Asked.
 *
 * Brought: prompts, responses as Markdown, also further drafts, names of attached files and pictures. Left out:
 * activity without a prompt, such as feedback, names of Gems and answers of surveys (`subtitles`), other products.
 */
import { createInvalidError } from '../../../core/error.ts';
import type { Fields } from '../../../core/json/json.ts';
import type { NoteFormat } from '../../note-format.ts';
import { tryCreateOriginKey } from '../../origin.ts';
import { createRecordFromForeignNote, type ReadRecord } from '../../record.ts';
import { readFileText, type SourceFile, streamRecordsOfMatchingFiles } from '../../source.ts';
import {
  toArrayOrEmpty,
  toObjectOrEmpty,
  toTextOrEmpty,
  tryConvertToIsoTime,
  tryParseBoundedJson,
} from '../../untyped-values.ts';
import { convertHtmlToMarkdown } from '../note-apps/html-to-markdown.ts';
import {
  formatAttachmentLabel,
  formatTranscript,
  getFirstUserOrAnyTextOrEmpty,
  type Turn,
  userSpeaker,
} from './transcript.ts';

const assistant = 'Gemini';

export const geminiFormat: NoteFormat = {
  name: 'gemini',
  description: "Gemini's activity of a takeout: MyActivity.json",
  recognizes: ({ files }, head) =>
    files.length === 0 &&
    /^\ufeff?\s*\[\s*\{/.test(head) &&
    /"(header|products)"\s*:\s*\[?\s*"(Gemini|Bard)\b/.test(head) &&
    /"title"\s*:/.test(head),
  streamRecords: (source) => streamRecordsOfMatchingFiles(source, /\.json$/i, streamActivityFileRecords),
};

interface Activity {
  readonly time: string;
  /** The id of the conversation, if it is known, or else the day. */
  readonly group: string;
  readonly isDay: boolean;
  readonly turns: readonly Turn[];
}

const otherProduct = 'It is activity of another program than Gemini';
const noPrompt = 'It is activity of Gemini without a prompt, such as feedback';

async function* streamActivityFileRecords(file: SourceFile): AsyncGenerator<ReadRecord, void, void> {
  const value = tryParseBoundedJson(await readFileText(file));
  if (!Array.isArray(value)) throw createInvalidError(`${file.name} holds no activity: it is no JSON array`);
  const records = value.map(toObjectOrEmpty);
  const ofGemini = records.filter(isGeminiActivity);
  const verb = guessPromptVerbOrEmpty(ofGemini);
  const prompts = ofGemini.filter((record) => isPromptActivity(record, verb));
  yield* createLeftOutRecordPerReason(file.name, [
    [otherProduct, records.length - ofGemini.length],
    [noPrompt, ofGemini.length - prompts.length],
  ]);
  const activities: Activity[] = [];
  for (const record of prompts) activities.push(await createActivity(record, verb, file.modifiedAt));
  const inOrder = activities.sort((one, other) => (one.time < other.time ? -1 : Number(one.time > other.time)));
  for (const [group, some] of Map.groupBy(inOrder, (activity) => activity.group))
    yield createDayOrConversationRecord(file, group, some);
}

/** Creates a record for each reason for which some activity is left out, with how many records that are. */
const createLeftOutRecordPerReason = (
  location: string,
  counts: readonly (readonly [reason: string, count: number])[],
) =>
  counts
    .filter(([, count]) => count > 0)
    .map(([reason, count]): ReadRecord => ({ kind: 'left out', location, reason, count }));

const isGeminiActivity = ({ header, products }: Fields) =>
  [header, ...toArrayOrEmpty(products)].some((name) => /^(Gemini|Bard)\b/.test(toTextOrEmpty(name)));

const knownVerbs: readonly string[] = ['Prompted', 'Asked', 'Asked:', 'Said', 'Branched', 'Answered'];

const getFirstTitleWordOrEmpty = ({ title }: Fields) => /^\S+/.exec(toTextOrEmpty(title))?.[0] ?? '';

/**
 * Guesses the word that begins the titles of prompts in the language of the account: the first word of more than half
 * of the titles with a response, and of at least three. Returns an empty text if there is none.
 *
 * Example: of the titles "Prompted a", "Prompted b", "Asked c" and "Prompted d" it is "Prompted".
 */
function guessPromptVerbOrEmpty(records: readonly Fields[]): string {
  const withResponses = records.filter(({ safeHtmlItem }) => toArrayOrEmpty(safeHtmlItem).length > 0);
  const counts = [...Map.groupBy(withResponses, getFirstTitleWordOrEmpty)].sort(
    ([, some], [, others]) => others.length - some.length,
  );
  const [verb = '', { length } = []] = counts[0] ?? [];
  return length >= 3 && length * 2 > withResponses.length ? verb : '';
}

const titleBeginsWithPromptVerb = (record: Fields, verb: string) =>
  [verb, ...knownVerbs].includes(getFirstTitleWordOrEmpty(record) || ' ');

const isPromptActivity = (record: Fields, verb: string) =>
  toArrayOrEmpty(record['safeHtmlItem']).length > 0 || titleBeginsWithPromptVerb(record, verb);

async function createActivity(record: Fields, verb: string, otherwise: Date): Promise<Activity> {
  const title = toTextOrEmpty(record['title']);
  const prompt = titleBeginsWithPromptVerb(record, verb) ? title.replace(/^\S+\s*/, '') : title;
  const time = tryConvertToIsoTime(record['time']) ?? otherwise.toISOString();
  const conversation = /\/app\/(\w+)/.exec(toTextOrEmpty(record['titleUrl']))?.[1];
  const turns: Turn[] = [prompt, ...listAttachmentLabels(record)].map((text) => ({ speaker: userSpeaker, text }));
  for (const item of toArrayOrEmpty(record['safeHtmlItem']))
    turns.push({ speaker: assistant, text: await convertHtmlToMarkdown(toTextOrEmpty(toObjectOrEmpty(item)['html'])) });
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

/**
 * Creates the record of a conversation, or of a day. The origin of a day is the time of its first prompt, as two
 * accounts have the same days.
 */
function createDayOrConversationRecord(
  { name, modifiedAt }: SourceFile,
  group: string,
  activities: readonly Activity[],
): ReadRecord {
  const [first] = activities;
  const turns = activities.flatMap((activity) => activity.turns);
  const opening = getFirstUserOrAnyTextOrEmpty(turns);
  const isDay = first?.isDay === true;
  return createRecordFromForeignNote(`${isDay ? 'day' : 'conversation'} ${group} of ${name}`, {
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
