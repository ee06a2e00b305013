import { describe, expect, test } from 'bun:test';
import { loadGrammarsIfNeeded } from './highlight-code.ts';
import { renderNote } from './render-note.ts';

const render = (text: string, format: 'markdown' | 'chat' | 'plain' = 'markdown') => renderNote({ format, text });
const renderHtmlOrEmpty = (text: string, format?: 'markdown' | 'chat' | 'plain') => render(text, format)?.html ?? '';

/** Who speaks in each turn; the user in capitals. */
const listSpeakers = (html: string) =>
  [...html.matchAll(/<div class="turn( is-user)?">\n<h3 class="speaker">(.*?)<\/h3>/g)].map(([, user, name = '']) =>
    user ? name.toUpperCase() : name,
  );

const turn = (name: string, html: string, isUser = false) =>
  `<div class="turn${isUser ? ' is-user' : ''}">\n<h3 class="speaker">${name}</h3>\n${html}\n</div>`;

describe('a chat', () => {
  test('a turn begins at the name of a speaker, and goes on to the next one', () => {
    const text = 'You: How?\n\nChatGPT: Like this:\n\n```bash\nls\n```\n\nDone.\n\nYou: Thanks';

    const html = renderHtmlOrEmpty(text);

    expect(listSpeakers(html)).toEqual(['YOU', 'ChatGPT', 'YOU']);
    expect(html).toStartWith(turn('You', '<p>How?</p>', true));
    expect(html).toEndWith(`<p>Done.</p>\n</div>\n${turn('You', '<p>Thanks</p>', true)}`);
    expect(render(text)?.blocks).toEqual(['ls']);
  });

  test('turns on lines that follow each other are turns, and their other lines stay lines', () => {
    expect(renderHtmlOrEmpty('User: Hi\n*more*\nAssistant: `Hello`\n  and more')).toBe(
      `${turn('User', '<p>Hi\n<em>more</em></p>', true)}\n` +
        turn('Assistant', '<p><code dir="ltr">Hello</code>\nand more</p>'),
    );
  });

  test.each([
    ['headings', '## User\n\nHi\n\n### Assistant:\n\nHello'],
    ['bold names, as imports write them', '**User**\n\nHi\n\n**Assistant**\n\nHello'],
    ['bold names on the line', '**User:** Hi\n\n**Assistant**: Hello'],
    ['lines between the turns', '**User**\n\nHi\n\n---\n\n**Assistant**\n\nHello\n\n---\n'],
  ])('speakers are named by %s', (_, text) => {
    expect(renderHtmlOrEmpty(text)).toBe(`${turn('User', '<p>Hi</p>', true)}\n${turn('Assistant', '<p>Hello</p>')}`);
  });

  test.each(['ChatGPT', 'GPT-4o', 'Claude 3.5 Sonnet', 'GitHub Copilot', 'Cursor', 'ASSISTANT', 'ChatGPT said'])(
    '%s is a speaker',
    (name) => {
      expect(listSpeakers(renderHtmlOrEmpty(`You said: Hi\n\n${name}: Hello`))).toEqual(['YOU SAID', name]);
    },
  );

  test('what stands above the first turn stays there, and headings within a turn belong to it', () => {
    const html = renderHtmlOrEmpty('# About it\n\n## User\n\nHi\n\n## ChatGPT\n\nHello\n\n## A plan\n\nFirst');

    expect(html).toStartWith('<h1>About it</h1>\n<div class="turn is-user">');
    expect(html).toEndWith('<h2>A plan</h2>\n<p>First</p>\n</div>');
    expect(listSpeakers(html)).toEqual(['USER', 'ChatGPT']);
  });

  test('a heading right after the speaker is a heading, and its lines keep their numbers', () => {
    const text = 'You: Hi\nChatGPT: ## *Answer* 1 ##\nmore\n\n**You:** # Next  \nline\n\nChatGPT: #tag\n## No heading';
    const rendered = render(text);

    expect(rendered?.html).toBe(
      [
        turn('You', '<p>Hi</p>', true),
        turn('ChatGPT', '<h2><em>Answer</em> 1</h2>\n<p>more</p>'),
        turn('You', '<h1>Next</h1>\n<p>line</p>', true),
        turn('ChatGPT', '<p>#tag</p>\n<h2>No heading</h2>'),
      ].join('\n'),
    );
    expect(rendered?.lines).toEqual([1, 2, 3, 5, 6, 8, 9]);
  });

  test('one turn is enough in a category of chats', () => {
    expect(listSpeakers(renderHtmlOrEmpty('You: Hi', 'chat'))).toEqual(['YOU']);
    expect(renderHtmlOrEmpty('You: Hi', 'markdown')).toBe('<p>You: Hi</p>');
  });

  test('a name is escaped, and a task box in a turn keeps its place in the text', () => {
    const html = renderHtmlOrEmpty('You: <b>\n\nChatGPT:\n\n- [ ] open');

    expect(html).toContain('<p>&lt;b&gt;</p>');
    expect(html).toContain('value="22"');
  });

  test('code is no chat, and neither is prose', async () => {
    const yaml = 'user:\n  name: You\n  model: x\n';
    await loadGrammarsIfNeeded(yaml);

    expect(render(yaml)?.isCode).toBe(true);
    expect(renderHtmlOrEmpty('Note: this\n\nResult: that', 'chat')).toBe('<p>Note: this</p>\n<p>Result: that</p>');
    expect(renderHtmlOrEmpty('You are right: it is.\n\nThe assistant: a man')).not.toContain('turn');
    expect(renderHtmlOrEmpty('Host: 10.1.2.3\nUser: ann\n')).not.toContain('turn');
    expect(render('User ann\nHost: 10.1.2.3', 'plain')).toBeUndefined();
  });
});
