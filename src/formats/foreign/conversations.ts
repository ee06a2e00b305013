import { invalid } from '../../domain/error.ts';
import { elementsIn } from '../../shared/long-json/elements.ts';
import { bad, type Format, type ReadRecord, type Source } from '../record.ts';
import { chatgptRecord } from './chatgpt.ts';
import { claudeRecord } from './claude.ts';
import { fieldsOf, valueIn } from './fields.ts';
import { readEach } from './files.ts';

/** At the top of the archive; some programs unzip into an extra folder. */
const conversationFile = /^([^/]+\/)?conversations(-\d+)?\.json$/;
const isList = /^\ufeff?\s*\[\s*\{/;
const holds = (source: Source, pattern: RegExp) => source.files.some((file) => pattern.test(file));

/** Recognizes a folder by the files beside the conversations, a file by the fields of its first conversation. */
export const chatgpt: Format = {
  name: 'chatgpt',
  description: "ChatGPT's data export: the .zip, its folder or conversations.json",
  recognizes: (source, head) =>
    (holds(source, conversationFile) || (isList.test(head) && /"mapping"\s*:\s*\{/.test(head))) &&
    !claude.recognizes(source, head),
  read: readConversations,
};

export const claude: Format = {
  name: 'claude',
  description: "Claude's data export: the .zip, its folder or conversations.json",
  recognizes: (source, head) =>
    (holds(source, conversationFile) && holds(source, /(^|\/)(users|memories)\.json$/)) ||
    (isList.test(head) && /"chat_messages"\s*:\s*\[/.test(head)),
  read: readConversations,
};

/** Detects the program per conversation by its fields: both programs use the same file name. */
function readConversations(source: Source): AsyncIterable<ReadRecord> {
  return readEach(source, conversationFile, async function* ({ name, modifiedAt, chunks }) {
    let count = 0;
    for await (const elements of elementsIn(chunks(), invalid)) {
      for (const element of elements) yield recordIn(element, `conversation ${++count} of ${name}`, modifiedAt);
    }
  });
}

function recordIn(element: string, location: string, otherwise: Date): ReadRecord {
  const conversation = fieldsOf(valueIn(element));
  if (Array.isArray(conversation['chat_messages'])) return claudeRecord(location, conversation, otherwise);
  if ('mapping' in conversation || 'current_node' in conversation)
    return chatgptRecord(location, conversation, otherwise);
  const reason = 'It is not a conversation: it has neither "mapping" (ChatGPT) nor "chat_messages" (Claude)';
  return bad(location, reason);
}
