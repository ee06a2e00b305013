import { describe, expect, test } from 'bun:test';
import { keptIo } from '../../../../test/support/terminal/kept-io.ts';
import { filled } from './fill.ts';

const text = 'Dear {{name}}, from {{me=Ann}}, {{day=today|tomorrow}}. {{name}}';

/** Fills in without a terminal. */
async function fill(text: string, given?: Readonly<Record<string, string>>, isCopied = false) {
  const io = keptIo();
  const values = given && new Map(Object.entries(given));
  return { text: await filled(text, { given: values, asks: true, isCopied }, io), stderr: io.stderr.text };
}

describe('where nobody can be asked', () => {
  test('a text is unchanged while no value is given', async () => {
    expect(await fill(text)).toEqual({ text, stderr: '' });
  });

  test('a text that is copied is unchanged too, and its blanks are reported', async () => {
    expect(await fill(text, undefined, true)).toEqual({
      text,
      stderr: 'Left blank: {{name}}, {{me}}, {{day}}\n',
    });
  });

  test('one value brings the defaults of the others', async () => {
    expect(await fill(text, { name: 'Bob' })).toEqual({ text: 'Dear Bob, from Ann, today. Bob', stderr: '' });
  });

  test('a name without value and default stays, and is reported once', async () => {
    expect(await fill(text, { me: 'Eve' })).toEqual({
      text: 'Dear {{name}}, from Eve, today. {{name}}',
      stderr: 'Left blank: {{name}}\n',
    });
  });

  test('an empty value is a value, and no value is read as a pattern', async () => {
    expect((await fill('[{{a}}] [{{b}}]', { a: '', b: "$& {{a}} $'" })).text).toBe("[] [$& {{a}} $']");
  });

  test.each([
    [text, { nam: 'Bob' }, 'The note has no {{nam}}. It has {{name}}, {{me}}, {{day}}'],
    ['none', { name: 'Bob' }, 'The note has no {{name}}. It has no placeholders'],
    [text, { day: 'never' }, 'Invalid day. Must be one of: today, tomorrow'],
    [text, { day: '' }, 'Invalid day. Must be one of: today, tomorrow'],
  ])('%p with %p is refused', async (text, given, message) => {
    await expect(fill(text, given)).rejects.toMatchObject({ code: 'invalid', message });
  });
});
