/**
 * A session of GitHub Copilot: of its command line, ~/.copilot/session-state/<id>/events.jsonl, or a transcript of VS
 * Code, workspaceStorage/<hash>/GitHub.copilot-chat/transcripts/<id>.jsonl. Each line is an event, `{type, data, id,
 * timestamp, parentId}`. Seen in github.com/kenn-io/agentsview, internal/parser/copilot.go; other readers name the events
 * `session.title_changed`, `session.snapshot_rewind` and `session.compaction_complete` of github.com/github/copilot-sdk.
 *
 * Brought: prompts, responses, cut tools and their results, names of attached files, summaries. Left out: reasoning, turns
 * of subagents, inserted context of skills, other events, prompts and responses that a rewind has withdrawn.
 */
import { type Fields, isObject, tryParseJson } from '../../core/json/json.ts';
import { findFirstText, toArray, toObject, toText } from '../untyped-values.ts';
import type { FinishedSession, SessionLine, SessionProgram, SessionReader } from './session-program.ts';
import { formatAttachmentLabel, formatToolCall, formatToolResult, type Turn, userSpeaker } from './transcript.ts';

const assistant = 'GitHub Copilot';
const programLine: SessionLine = { leftOut: 'of the program itself' };

/** Such as `session.start` and `tool.execution_complete`. */
const eventType = /^[a-z_]+(\.[a-z_]+)+$/;

export const copilot: SessionProgram = {
  name: 'copilot',
  recognizesLine: ({ type, data }) => eventType.test(toText(type)) && isObject(data),
  createReader: () => new CopilotLineReader(),
};

class CopilotLineReader implements SessionReader {
  /** The turns of each event, in the order of the file. */
  readonly #turns = new Map<string, readonly Turn[]>();
  readonly #calls = new Set<string>();
  readonly #withdrawn = new Set<Turn>();

  findSessionIdOrEmpty(line: Fields): string {
    return toText(toObject(line['data'])['sessionId']);
  }

  interpretLine(line: Fields): SessionLine {
    const data = toObject(line['data']);
    if (line['type'] === 'session.snapshot_rewind') this.#rememberWithdrawnTurns(data);
    const read = isSubagentEvent(line, data)
      ? ({ leftOut: 'of subagents' } as const)
      : this.#interpretEvent(line, data);
    if ('turns' in read) this.#turns.set(toText(line['id']), read.turns);
    return read;
  }

  selectShownTurns(turns: readonly Turn[]): FinishedSession {
    const leftOut = new Map([['withdrawn by a rewind', this.#withdrawn.size]]);
    return { turns: turns.filter((turn) => !this.#withdrawn.has(turn)), leftOut };
  }

  #rememberWithdrawnTurns(rewind: Fields): void {
    const turns = this.#listWithdrawnEventIds(rewind).flatMap((id) => this.#turns.get(id) ?? []);
    for (const turn of turns) this.#withdrawn.add(turn);
  }

  /** A rewind names its events, or the first of them. */
  #listWithdrawnEventIds({ eventIds, upToEventId }: Fields): readonly string[] {
    if (Array.isArray(eventIds)) return eventIds.map(toText);
    const ids = [...this.#turns.keys()];
    const first = ids.indexOf(toText(upToEventId));
    return first < 0 ? [] : ids.slice(first);
  }

  #interpretEvent({ type }: Fields, data: Fields): SessionLine {
    switch (type) {
      case 'user.message':
        return toPromptEventLine(data);
      case 'assistant.message':
        return this.#interpretResponse(data);
      case 'tool.execution_start':
        return { turns: [this.#createToolCallTurnOnce({ ...data, name: data['toolName'] })] };
      case 'tool.execution_complete':
        return { turns: [createAssistantTurn(formatToolResult(findResultText(data)))] };
      case 'session.title_changed':
        return { programTitle: toText(data['title']) };
      case 'session.compaction_complete':
        return { turns: [{ speaker: 'Summary', text: toText(data['summaryContent']) }] };
      default:
        return { leftOut: toText(type) };
    }
  }

  #interpretResponse({ content, toolRequests }: Fields): SessionLine {
    const calls = toArray(toolRequests).map((request) => this.#createToolCallTurnOnce(request));
    return { turns: [createAssistantTurn(toText(content)), ...calls] };
  }

  /** A tool is written when it is requested, and again when it starts. */
  #createToolCallTurnOnce(request: unknown): Turn {
    const { toolCallId, name, arguments: input } = toObject(request);
    const id = toText(toolCallId);
    const isKnown = id !== '' && this.#calls.size === this.#calls.add(id).size;
    return createAssistantTurn(isKnown ? '' : formatToolCall(toText(name), tryParseJson(toText(input)) ?? input));
  }
}

const createAssistantTurn = (text: string): Turn => ({ speaker: assistant, text });

const isSubagentEvent = ({ agentId }: Fields, { parentToolCallId, parentAgentTaskId }: Fields) =>
  findFirstText(agentId, parentToolCallId, parentAgentTaskId) !== '';

function toPromptEventLine({ content, source, attachments }: Fields): SessionLine {
  const text = toText(content);
  if (/^(skill-|system$)/.test(toText(source)) || text.trimStart().startsWith('<skill-context')) return programLine;
  const names = toArray(attachments).map((one) => formatAttachmentName(toObject(one)));
  return { turns: [text, ...names].map((part) => ({ speaker: userSpeaker, text: part })) };
}

function formatAttachmentName({ type, displayName, name, path, filePath }: Fields): string {
  const kind = type === 'directory' ? 'Folder' : 'File';
  const fileName = toText(path || filePath).replace(/^.*[\\/]/s, '');
  return formatAttachmentLabel(kind, findFirstText(displayName, name, fileName));
}

/** A text, or the shorter of two forms of it; of a tool that failed, its message. */
function findResultText({ result, error }: Fields): string {
  const { content, detailedContent } = toObject(result);
  return findFirstText(result, content, detailedContent, error, toObject(error)['message']);
}
