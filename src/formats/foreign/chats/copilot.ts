/**
 * A session of GitHub Copilot: of its command line, ~/.copilot/session-state/<id>/events.jsonl, or a transcript of VS
 * Code, workspaceStorage/<hash>/GitHub.copilot-chat/transcripts/<id>.jsonl. Each line is an event, `{type, data, id,
 * timestamp, parentId}`. Seen in github.com/kenn-io/agentsview, internal/parser/copilot.go; other readers name the
 * events `session.title_changed`, `session.snapshot_rewind` and `session.compaction_complete` of
 * github.com/github/copilot-sdk.
 *
 * Brought: prompts, responses, cut tools and their results, names of attached files, summaries. Left out: reasoning,
 * turns of subagents, inserted context of skills, other events, prompts and responses that a rewind has withdrawn.
 */
import { type Fields, isObject, tryParseJson } from '../../../core/json/json.ts';
import { getFirstNonBlankOrEmpty, toArrayOrEmpty, toObjectOrEmpty, toTextOrEmpty } from '../../untyped-values.ts';
import type { InterpretedLine, SessionInterpreter, SessionProgram, ShownTurns } from './session-program.ts';
import {
  formatAttachmentLabel,
  formatShortenedToolCall,
  formatShortenedToolResultOrEmpty,
  type Turn,
  userSpeaker,
} from './transcript.ts';

const assistant = 'GitHub Copilot';
const programLine: InterpretedLine = { leftOut: 'of the program itself' };

/** Types of events are such as `session.start` and `tool.execution_complete`. */
const eventType = /^[a-z_]+(\.[a-z_]+)+$/;

export const copilot: SessionProgram = {
  name: 'copilot',
  recognizesLine: ({ type, data }) => eventType.test(toTextOrEmpty(type)) && isObject(data),
  createInterpreter: () => new CopilotInterpreter(),
};

class CopilotInterpreter implements SessionInterpreter {
  /** The turns of each event, in the order of the file. */
  readonly #turns = new Map<string, readonly Turn[]>();
  readonly #calls = new Set<string>();
  readonly #withdrawn = new Set<Turn>();

  getSessionIdOfLineOrEmpty(line: Fields): string {
    return toTextOrEmpty(toObjectOrEmpty(line['data'])['sessionId']);
  }

  interpretNextLine(line: Fields): InterpretedLine {
    const data = toObjectOrEmpty(line['data']);
    if (line['type'] === 'session.snapshot_rewind') this.#rememberWithdrawnTurns(data);
    const read = isSubagentEvent(line, data)
      ? ({ leftOut: 'of subagents' } as const)
      : this.#interpretEvent(line, data);
    if ('turns' in read) this.#turns.set(toTextOrEmpty(line['id']), read.turns);
    return read;
  }

  selectShownTurns(turns: readonly Turn[]): ShownTurns {
    const leftOut = new Map([['withdrawn by a rewind', this.#withdrawn.size]]);
    return { turns: turns.filter((turn) => !this.#withdrawn.has(turn)), leftOut };
  }

  #rememberWithdrawnTurns(rewind: Fields): void {
    const turns = this.#listEventIdsOfRewind(rewind).flatMap((id) => this.#turns.get(id) ?? []);
    for (const turn of turns) this.#withdrawn.add(turn);
  }

  /** Lists the ids of the events that a rewind withdraws. The rewind names them, or the first of them. */
  #listEventIdsOfRewind({ eventIds, upToEventId }: Fields): readonly string[] {
    if (Array.isArray(eventIds)) return eventIds.map(toTextOrEmpty);
    const ids = [...this.#turns.keys()];
    const first = ids.indexOf(toTextOrEmpty(upToEventId));
    return first < 0 ? [] : ids.slice(first);
  }

  #interpretEvent({ type }: Fields, data: Fields): InterpretedLine {
    switch (type) {
      case 'user.message':
        return interpretPromptEvent(data);
      case 'assistant.message':
        return this.#interpretResponse(data);
      case 'tool.execution_start':
        return { turns: [this.#createCallTurnOrBlankIfRepeated({ ...data, name: data['toolName'] })] };
      case 'tool.execution_complete':
        return { turns: [createAssistantTurn(formatShortenedToolResultOrEmpty(getResultOrErrorTextOrEmpty(data)))] };
      case 'session.title_changed':
        return { programTitle: toTextOrEmpty(data['title']) };
      case 'session.compaction_complete':
        return { turns: [{ speaker: 'Summary', text: toTextOrEmpty(data['summaryContent']) }] };
      default:
        return { leftOut: toTextOrEmpty(type) };
    }
  }

  #interpretResponse({ content, toolRequests }: Fields): InterpretedLine {
    const calls = toArrayOrEmpty(toolRequests).map((request) => this.#createCallTurnOrBlankIfRepeated(request));
    return { turns: [createAssistantTurn(toTextOrEmpty(content)), ...calls] };
  }

  /**
   * Creates the turn of a call, which is empty the second time: a call is written when it is requested, and again when
   * it starts.
   */
  #createCallTurnOrBlankIfRepeated(request: unknown): Turn {
    const { toolCallId, name, arguments: input } = toObjectOrEmpty(request);
    const id = toTextOrEmpty(toolCallId);
    const isKnown = id !== '' && this.#calls.size === this.#calls.add(id).size;
    return createAssistantTurn(
      isKnown ? '' : formatShortenedToolCall(toTextOrEmpty(name), tryParseJson(toTextOrEmpty(input)) ?? input),
    );
  }
}

const createAssistantTurn = (text: string): Turn => ({ speaker: assistant, text });

const isSubagentEvent = ({ agentId }: Fields, { parentToolCallId, parentAgentTaskId }: Fields) =>
  getFirstNonBlankOrEmpty(agentId, parentToolCallId, parentAgentTaskId) !== '';

function interpretPromptEvent({ content, source, attachments }: Fields): InterpretedLine {
  const text = toTextOrEmpty(content);
  if (/^(skill-|system$)/.test(toTextOrEmpty(source)) || text.trimStart().startsWith('<skill-context'))
    return programLine;
  const names = toArrayOrEmpty(attachments).map((one) => formatAttachmentLabelByType(toObjectOrEmpty(one)));
  return { turns: [text, ...names].map((part) => ({ speaker: userSpeaker, text: part })) };
}

function formatAttachmentLabelByType({ type, displayName, name, path, filePath }: Fields): string {
  const kind = type === 'directory' ? 'Folder' : 'File';
  const fileName = toTextOrEmpty(path || filePath).replace(/^.*[\\/]/s, '');
  return formatAttachmentLabel(kind, getFirstNonBlankOrEmpty(displayName, name, fileName));
}

/**
 * Returns the result of a tool: a text, or the shorter of two forms of it. Of a tool that failed, it is the message.
 */
function getResultOrErrorTextOrEmpty({ result, error }: Fields): string {
  const { content, detailedContent } = toObjectOrEmpty(result);
  return getFirstNonBlankOrEmpty(result, content, detailedContent, error, toObjectOrEmpty(error)['message']);
}
