/** How tools and prompts respond, and what they work on. */
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type Code, NoteError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import type { McpStore, UseStore } from './mcp-store.ts';
import { WithheldNoteError } from './secret-policy.ts';

/** Limit of a response, in characters of JSON: leaves a model room for the rest of its context. */
export const maxResponseCharacters = 60_000;

/** Reports errors that an operator should see. */
type ReportError = (error: unknown) => void;

/** The result of a tool. */
export type ToolOutput = Record<string, unknown>;

/** The next step for a model, by error. */
const nextStepByCode = {
  invalid: 'Correct the arguments and call the tool again.',
  not_found: 'Use search to find the ids of notes.',
  conflict: 'Nothing was changed. Read the note again with get, then update it with its new updatedAt.',
  busy: 'Nothing was changed. Call it again in a moment.',
  unavailable: 'Use get or search to see what is stored before you write again.',
  unreachable:
    'Ask the user to start the notes service. It is unknown whether a write was stored: check before you repeat it.',
  internal: 'Ask the user to check the log.',
} as const satisfies Record<Code, string>;

const isCallerError = (error: NoteError) => ['invalid', 'not_found', 'conflict'].includes(error.code);

/** What a request works on. */
export interface McpContext {
  readonly use: UseStore;
  readonly report: ReportError;
}

/**
 * Runs the work of a tool. Returns its result as an object, and as JSON for clients without structured content; of an
 * error, the message and the next step.
 */
export async function respondToTool(
  { use, report }: McpContext,
  work: (store: McpStore) => Promise<ToolOutput>,
): Promise<CallToolResult> {
  try {
    const result = await use(work);
    return { structuredContent: result, content: [{ type: 'text', text: JSON.stringify(result) }] };
  } catch (error) {
    const shown = reportAndConvertError(error, report);
    const nextStep = shown instanceof WithheldNoteError ? '' : ` ${nextStepByCode[shown.code]}`;
    return { isError: true, content: [{ type: 'text', text: `${shown.message}.${nextStep}` }] };
  }
}

/** Like `respondToTool`, for requests other than tools: throws errors of the protocol. */
export async function respondOrThrow<Result>(
  { use, report }: McpContext,
  work: (store: McpStore) => Promise<Result>,
): Promise<Result> {
  try {
    return await use(work);
  } catch (error) {
    const shown = reportAndConvertError(error, report);
    const code = isCallerError(shown) ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    throw new ProtocolError(code, shown.message);
  }
}

/** Returns the error to show; reports unexpected ones. */
function reportAndConvertError(error: unknown, report: ReportError): NoteError {
  const isOurs = error instanceof NoteError && error.code !== 'internal';
  if (!isOurs || !isCallerError(error)) report(error);
  return isOurs ? error : new NoteError('internal', message.unexpected, { cause: error });
}
