/**
 * A line of an OpenAI Codex session in ~/.codex/sessions/<year>/<month>/<day>/rollout-*.jsonl: an item as the model
 * sees it; since September 2025 inside `{timestamp, type, payload}`. Based on github.com/openai/codex,
 * codex-rs/protocol/src: models.rs (`ResponseItem`, `ContentItem`) and protocol.rs (`RolloutItem`).
 */
import { type Fields, parsed } from '../../shared/json.ts';
import { fieldsOf, textOf } from './fields.ts';
import { blockTexts, type SessionLine, toolCall, toolResult, you } from './transcript.ts';

const assistant = 'Codex';

export function codexLine(line: Fields): SessionLine {
  if (!('payload' in line)) return itemLine(line);
  // Events repeat the items.
  return line['type'] === 'response_item' ? itemLine(fieldsOf(line['payload'])) : left(line);
}

const left = ({ type }: Fields): SessionLine => ({ leftOut: textOf(type) || 'of no type' });

function itemLine(item: Fields): SessionLine {
  switch (item['type']) {
    case 'message':
      return messageLine(item);
    case 'function_call':
      return said(toolCall(textOf(item['name']), parsed(textOf(item['arguments'])) ?? item['arguments']));
    case 'custom_tool_call':
      return said(toolCall(textOf(item['name']), item['input']));
    case 'local_shell_call':
    case 'web_search_call':
      return said(toolCall(textOf(item['type']).replace('_call', ''), item['action']));
    case 'function_call_output':
    case 'custom_tool_call_output':
      return said(toolResult(outputText(item['output'])));
    default:
      return left(item);
  }
}

const said = (text: string): SessionLine => ({ turns: [{ speaker: assistant, text }] });

/** Context that Codex inserts before the user's first message. */
const context = /^\s*(<(environment_context|user_instructions|INSTRUCTIONS|turn_aborted)\b|# AGENTS\.md instructions)/;

function messageLine(item: Fields): SessionLine {
  const text = blockTexts(item['content']);
  if (item['role'] === 'assistant') return said(text);
  if (item['role'] !== 'user' || context.test(text)) return { leftOut: 'of the program itself' };
  return { turns: [{ speaker: you, text }] };
}

/** A text, blocks, or, in older versions, JSON that contains the text. */
function outputText(output: unknown): string {
  const inner = fieldsOf(typeof output === 'string' ? parsed(output) : output);
  const text = inner['output'] ?? inner['content'];
  return blockTexts(text === undefined ? output : text);
}
