/** Forms keep the line ends of unedited lines. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createDraft } from '../../../test/support/sample-notes.ts';
import type { NoteDraft } from '../../core/note.ts';
import { listChangedDraftFields } from '../../core/versions.ts';
import { restoreFieldLineEnds, restoreLineEnds } from './read-form-fields.ts';

const inArea = (text: string) => text.replace(/\r\n?/g, '\n');
const inLine = (text: string) => text.replace(/[\r\n]/g, '');

/** Texts with all kinds of adjacent line ends; none contains `X`. */
const pieces = fc.array(fc.constantFrom('\r\n', '\n', '\r', 'a', ' ', '\t', '🙂', 'é', '\ud83d'), { maxLength: 30 });
const text = pieces.map((pieces) => pieces.join(''));

describe('10. Write: the fields of a form', () => {
  test('are the stored ones when nothing was typed', () => {
    fc.assert(
      fc.property(text, text, (title, content) => {
        const before = createDraft({ title, content });
        const shown: NoteDraft = { ...before, title: inLine(title), content: inArea(content) };

        const changed = listChangedDraftFields(restoreFieldLineEnds(shown, before), before);

        expect(changed).toEqual([]);
      }),
    );
  });

  test('keep every byte before and behind what was typed', () => {
    fc.assert(
      fc.property(pieces, pieces, pieces, fc.constantFrom('', '\n', 'a\nb'), (head, middle, tail, typed) => {
        const [start, gone, end] = [head.join(''), middle.join(''), tail.join('')];
        fc.pre(
          !`${start}|${gone}`.includes('\r|\n') &&
            !`${gone}|${end}`.includes('\r|\n') &&
            !`${start}|${end}`.includes('\r|\n'),
        );
        const shown = `${inArea(start)}X${typed}X${inArea(end)}`;

        const result = restoreLineEnds(shown, start + gone + end);

        expect(inArea(result)).toBe(shown);
        expect(result.startsWith(`${start}X`)).toBe(true);
        expect(result.endsWith(`X${end}`)).toBe(true);
      }),
    );
  });

  test('read in a text area as what was typed, whatever was there before', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const typed = inArea(after);

        const result = restoreLineEnds(typed, before);

        expect(inArea(result)).toBe(typed);
      }),
      {
        numRuns: 1000,
        examples: [
          ['\n\r', '\n\n\n'],
          ['a\rX\nb', 'a\n\nb'],
        ],
      },
    );
  });

  test('give new lines the line end that the text has', () => {
    expect(restoreLineEnds('a\nnew\nb', 'a\r\nb')).toBe('a\r\nnew\r\nb');
    expect(restoreLineEnds('a\nnew\nb', 'a\nb')).toBe('a\nnew\nb');
    expect(restoreLineEnds('a\nb', 'a')).toBe('a\nb');
  });
});
