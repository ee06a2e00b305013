import { describe, expect, test } from 'bun:test';
import { createRecordedIo } from '../../../../test/support/terminal/recorded-io.ts';
import { fillPlaceholdersAndReportBlanks } from './fill-placeholders.ts';

const text = 'Dear {{name}}, from {{me=Ann}}, {{day=today|tomorrow}}. {{name}}';

/** Fills in a text that is used without a terminal. */
async function fill(text: string, given?: Readonly<Record<string, string>>, allowsBlanks = false) {
  const io = createRecordedIo();
  const values = given && new Map(Object.entries(given));
  return {
    text: await fillPlaceholdersAndReportBlanks(text, { setValues: values, prompts: true, allowsBlanks }, io),
    stderr: io.stderr.text,
  };
}

describe('where nobody can be asked', () => {
  test('defaults are filled in', async () => {
    const filled = await fill('From {{me=Ann}}, {{day=today|tomorrow}}. {{.Names}}');

    expect(filled).toEqual({ text: 'From Ann, today. {{.Names}}', stderr: '' });
  });

  test.each([
    [undefined, '{{name}} has no value. Give it by --set name=…, or use --raw for the text as written'],
    [{ me: 'Eve' }, '{{name}} has no value. Give it by --set name=…, or use --raw for the text as written'],
  ])('a name without value and default is refused: %p', async (given, message) => {
    await expect(fill(text, given)).rejects.toMatchObject({ code: 'unavailable', message });
  });

  test('of several such names each is told', async () => {
    const message =
      "{{a}}, {{b c}} have no value. Give them by --set a=… --set 'b c=…', or use --raw for the text as written";

    await expect(fill('{{a}} {{b c}} {{c=1}}')).rejects.toMatchObject({ message });
  });

  test('where it may stay, it is reported once', async () => {
    expect(await fill(text, { me: 'Eve' }, true)).toEqual({
      text: 'Dear {{name}}, from Eve, today. {{name}}',
      stderr: 'Left blank: {{name}}\n',
    });
  });

  test('a name may have spaces, and the date is that of today', async () => {
    const { text } = await fill('{{target language}} on {{date}}', { 'target language': 'Go' });

    expect(text).toMatch(/^Go on \d{4}-\d\d-\d\d$/);
  });

  test('one value brings the defaults of the others', async () => {
    expect(await fill(text, { name: 'Bob' })).toEqual({ text: 'Dear Bob, from Ann, today. Bob', stderr: '' });
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
