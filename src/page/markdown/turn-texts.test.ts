import { expect, test } from 'bun:test';
import { listTurnTexts } from './turn-texts.ts';

const chat = (text: string, ...turns: readonly (readonly [speaker: string, firstLine?: number])[]) =>
  listTurnTexts(
    text,
    turns.map(([speaker, firstLine]) => ({ speaker, firstLine })),
  );

test('the text of a turn is its Markdown as written, without the name of the speaker', () => {
  const answer = 'Like *this*:\n\n```bash\nls  \n```\n\n- one\n  - two';
  const text = `You: How?\nand why?\n\nChatGPT: ${answer}\n\nYou: Thanks\n`;

  expect(chat(text, ['You', 1], ['ChatGPT', 4], ['You', 13])).toEqual(['How?\nand why?', answer, 'Thanks']);
});

test.each([
  ['headings', '## User\n\nHi\n\n### Assistant: ###\n\nHello', 3, 7],
  ['underlined headings', 'User\n---\n\nHi\n\nAssistant:\n===\nHello', 4, 8],
  ['bold names', '**User**\n\nHi\n\n**Assistant:**\n\nHello', 3, 7],
  ['bold names on the line', '**User:** Hi\n\n__Assistant__: Hello', 1, 3],
  ['bold names with lines between the turns', '**User**\n\nHi\n\n---\n\n**Assistant**\n\nHello\n\n* * *\n', 3, 9],
  ['lines that end with CR and LF', 'User: Hi\r\n\r\n---\r\n\r\nAssistant:\r\n\r\nHello\r\n', 1, 7],
  ['lines that follow each other', '\ufeffUser: Hi\nAssistant: Hello', 1, 2],
])('speakers are named by %s', (_, text, user, assistant) => {
  expect(chat(text, ['User', user], ['Assistant', assistant])).toEqual(['Hi', 'Hello']);
});

test('what stands above the first turn belongs to none, and a name within a turn begins no other', () => {
  const text = 'title\n\nYou: Write\n\n```\nYou: a\nGPT-4: b\n```\n\nGPT-4: Done\n\nYou are: welcome\n\nYou:\n\nBye';

  expect(chat(text, ['You', 3], ['GPT-4', 10], ['You', 16])).toEqual([
    'Write\n\n```\nYou: a\nGPT-4: b\n```',
    'Done\n\nYou are: welcome',
    'Bye',
  ]);
});

test('an empty turn has no text, and one whose name is written in another way has its lines', () => {
  expect(chat('You:\nTool:\n\nYou&#58; x\n\nTool: y', ['You'], ['Tool'], ['You', 4], ['Tool', 6])).toEqual([
    '',
    '',
    'You&#58; x',
    'y',
  ]);
});

test('a heading right after the speaker, and the indentation of code, are kept', () => {
  expect(chat('You: ## Plan ##\n\nTool:\n\n    code\n', ['You', 1], ['Tool', 5])).toEqual(['## Plan ##', '    code']);
});

test('an underlined heading at the end of a turn is kept', () => {
  expect(chat('You: Hi\r\n\r\nPlan\r\n---\r\n\r\nTool: y', ['You', 1], ['Tool', 6])[0]).toBe('Hi\r\n\r\nPlan\r\n---');
});
