/**
 * A line of a Claude Code session in ~/.claude/projects/<folder>/<session>.jsonl. Anthropic documents no format. Based
 * on github.com/Huntehhh/claude-code-chat, docs/claude-cli-jsonl-format.md (kinds of lines and blocks),
 * github.com/alosec/claude-editor-hook, memory-bank/03-guides/jsonl-analysis.md (files, `isSidechain`), and fields that
 * other parsers read from lines of 2026: `isMeta`, `isCompactSummary`, `custom-title`, `ai-title`.
 */
import type { Fields } from '../../shared/json.ts';
import { fieldsOf, listOf, textOf } from './fields.ts';
import { asJson, blockTexts, type SessionLine, type Turn, toolCall, toolResult, you } from './transcript.ts';

const assistant = 'Claude';

/** `seen`: ids of the session's lines so far, as it also contains summaries of other sessions. */
export function claudeCodeLine(line: Fields, seen: ReadonlySet<string>): SessionLine {
  const { type } = line;
  if (type === 'summary') return { programTitle: seen.has(textOf(line['leafUuid'])) ? textOf(line['summary']) : '' };
  if (type === 'custom-title') return { title: textOf(line['customTitle']) };
  if (type === 'ai-title') return { programTitle: textOf(line['aiTitle']) };
  if (line['isSidechain'] === true) return { leftOut: 'of subagents' };
  if (line['isMeta'] === true) return { leftOut: 'of the program itself' };
  if (type !== 'user' && type !== 'assistant') return { leftOut: textOf(type) || 'of no type' };
  const speaker = type === 'assistant' ? assistant : line['isCompactSummary'] === true ? 'Summary' : you;
  return { turns: turnsOf(speaker, fieldsOf(line['message'])['content']) };
}

function turnsOf(speaker: string, content: unknown): readonly Turn[] {
  if (typeof content === 'string') return [{ speaker, text: content }];
  return listOf(content).map((element) => {
    const block = fieldsOf(element);
    return { speaker: block['type'] === 'tool_result' ? assistant : speaker, text: blockText(block) };
  });
}

function blockText(block: Fields): string {
  switch (block['type']) {
    case 'thinking':
    case 'redacted_thinking':
      return '';
    case 'tool_use':
      return toolCall(textOf(block['name']), block['input']);
    case 'tool_result':
      return toolResult(blockTexts(block['content']));
    case 'text':
    case 'image':
    case 'document':
      return blockTexts([block]);
    default:
      return asJson(block);
  }
}
