import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type Code, NoteError } from '../domain/error.ts';
import * as message from '../domain/message.ts';

/** Most characters of an answer, as JSON: what a model can still read beside all else. */
export const maxCharacters = 60_000;

/** Told about errors that whoever runs the program should look at. */
export type Report = (error: unknown) => void;

/** What a tool found out. */
export type Facts = Record<string, unknown>;

/** What a model can do about an error. */
const nextStep = {
  invalid: 'Correct the arguments and call it again.',
  not_found: 'Use search to find the ids of notes.',
  conflict: 'Nothing was changed. Use get to read it again, then update it with its new updatedAt.',
  busy: 'Nothing was changed. Call it again in a moment.',
  unavailable: 'Use get or search to see what is stored before you write again.',
  unreachable:
    'Ask the user to start the notes service. Whether a write was stored is unknown: look before you repeat it.',
  internal: 'Ask the user to look into the log.',
} as const satisfies Record<Code, string>;

const isForeseen = (error: NoteError) => ['invalid', 'not_found', 'conflict'].includes(error.code);

/** Facts as an object and, for clients that know no objects, as its JSON; errors with what to do about them. */
export async function answer(work: () => Promise<Facts>, report: Report): Promise<CallToolResult> {
  try {
    const facts = await work();
    return { structuredContent: facts, content: [{ type: 'text', text: JSON.stringify(facts) }] };
  } catch (error) {
    const { message: said, code } = shown(error, report);
    return { isError: true, content: [{ type: 'text', text: `${said}. ${nextStep[code]}` }] };
  }
}

/** The same for what is no tool: errors are those of the protocol. */
export async function answerOrRefuse<Result>(work: () => Promise<Result>, report: Report): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const refusal = shown(error, report);
    const code = isForeseen(refusal) ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    throw new ProtocolError(code, refusal.message);
  }
}

/** What may be told about an error; the rest is reported. */
function shown(error: unknown, report: Report): NoteError {
  const isOurs = error instanceof NoteError && error.code !== 'internal';
  if (!isOurs || !isForeseen(error)) report(error);
  return isOurs ? error : new NoteError('internal', message.unexpected, { cause: error });
}
