/** This module defines how tools and prompts respond, and on what they work. */
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type ErrorCode, NoteError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import type { McpStore, UseStore } from './mcp-store.ts';
import { WithheldNoteError } from './secret-policy.ts';

/** A response has at most this many characters of JSON, which leaves a model room for the rest of its context. */
export const maxResponseCharacters = 60_000;

/** Reports errors that an operator should see. */
type ReportError = (error: unknown) => void;

/** A tool returns this object. */
export type ToolOutput = Record<string, unknown>;

/** These sentences tell a model what to do next after an error. */
const nextStepByCode = {
  invalid: 'Correct the arguments and call the tool again.',
  not_found: 'Use search to find the ids of notes.',
  conflict: 'Nothing was changed. Read the note again with get, then update it with its new updatedAt.',
  busy: 'Nothing was changed. Call it again in a moment.',
  unavailable: 'Use get or search to see what is stored before you write again.',
  unreachable:
    'Ask the user to start the notes service. It is unknown whether a write was stored: check before you repeat it.',
  internal: 'Ask the user to check the log.',
} as const satisfies Record<ErrorCode, string>;

const isCallerError = (error: NoteError) => ['invalid', 'not_found', 'conflict'].includes(error.code);

/** A request works on these. */
export interface McpContext {
  readonly use: UseStore;
  readonly report: ReportError;
}

/**
 * Runs the work of a tool. Returns its result as an object, and as JSON for clients without structured content; of an
 * error, the message and the next step.
 */
export async function runToolAndReportErrors(
  { use, report }: McpContext,
  work: (store: McpStore) => Promise<ToolOutput>,
): Promise<CallToolResult> {
  try {
    const result = await use(work);
    return { structuredContent: result, content: [{ type: 'text', text: JSON.stringify(result) }] };
  } catch (error) {
    const shown = reportAndConvertToNoteError(error, report);
    const nextStep = shown instanceof WithheldNoteError ? '' : ` ${nextStepByCode[shown.code]}`;
    return { isError: true, content: [{ type: 'text', text: `${shown.message}.${nextStep}` }] };
  }
}

/** Runs the work of a request other than that of a tool. Throws errors of the protocol. */
export async function runOrThrowProtocolError<Result>(
  { use, report }: McpContext,
  work: (store: McpStore) => Promise<Result>,
): Promise<Result> {
  try {
    return await use(work);
  } catch (error) {
    const shown = reportAndConvertToNoteError(error, report);
    const code = isCallerError(shown) ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    throw new ProtocolError(code, shown.message);
  }
}

/** Returns the error to show. Reports an error that is not the fault of the caller. */
function reportAndConvertToNoteError(error: unknown, report: ReportError): NoteError {
  const isOurs = error instanceof NoteError && error.code !== 'internal';
  if (!isOurs || !isCallerError(error)) report(error);
  return isOurs ? error : new NoteError('internal', message.unexpected, { cause: error });
}
