/** Verifies a server before it is measured. */
import * as z from 'zod/mini';
import { categories, colors, groups, type NoteDraft } from '../../src/core/note.ts';
import { smallListLength, smallListPath } from '../notes/corpus.ts';
import { send } from './answers.ts';
import type { Call, Scenario } from './scenarios.ts';

const Kept = z.object({
  id: z.int(),
  title: z.string(),
  content: z.string(),
  category: z.enum(categories),
  group: z.enum(groups),
  color: z.enum(colors),
  archived: z.boolean(),
});
type Kept = z.infer<typeof Kept>;

/** A server to verify. */
export interface Subject {
  readonly url: string;
  readonly translate: (call: Call) => Call;
  /** The notes stored at the start. */
  readonly drafts: readonly NoteDraft[];
}

/** Sends the first call of each method. Throws unless each response is as expected. */
export async function checkAnswers(subject: Subject, { calls }: Scenario): Promise<void> {
  const firsts = new Map(calls.toReversed().map((call) => [call.method, call]));
  for (const call of firsts.values()) {
    const response = await send(subject.url, subject.translate(call), [200, 201]);
    const fault = faultOf(subject.drafts, call, await response.json());
    if (fault !== undefined) throw new Error(`${call.method} ${call.path} was answered with ${fault}`);
  }
}

/** What is wrong with an answer, if anything. */
function faultOf(drafts: readonly NoteDraft[], { method, path, body }: Call, answer: unknown): string | undefined {
  if (method === 'GET') {
    const wanted = path === smallListPath ? smallListLength : drafts.length;
    const { length } = z.array(Kept).parse(answer);
    return length === wanted ? undefined : `${length} notes instead of ${wanted}`;
  }
  const note = Kept.parse(answer);
  if (method === 'PATCH') return note.archived && isStored(drafts, note) ? undefined : 'a note that is not archived';
  const { title } = JSON.parse(body);
  return note.title === title && isStored(drafts, note) ? undefined : 'another note than was written';
}

/** Whether all fields except the title are unchanged. */
const isStored = (drafts: readonly NoteDraft[], { content, category, group, color }: Kept) =>
  drafts.some(
    (draft) =>
      draft.content === content && draft.category === category && draft.group === group && draft.color === color,
  );
