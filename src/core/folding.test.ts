import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { fold } from './folding.ts';

test.each([
  ['full and half width', 'ＡＢＣ　１', 'abc 1'],
  ['half-width kana', 'ﾊﾟｿｺﾝ', 'パソコン'],
  ['decomposed kana', 'か\u3099ハ\u309a', 'がパ'],
  ['ligatures', 'ﬁﬀ ﬅ Œ Æ', 'fiff st oe ae'],
  ['compatibility forms', '㍿ ② x²', '株式会社 2 x2'],
  ['ß', 'Straße STRAẞE', 'strasse strasse'],
  ['final sigma', 'ΛΌΓΟΣ λόγος', 'λογοσ λογοσ'],
  ['marks of Latin', 'e\u0301É\u0323 ǖ Øł', 'ee u ol'],
  ['marks of Cyrillic', 'Ёй и\u0306 за́мок', 'еи и замок'],
  ['variation selectors', '❤️ 葛\u{e0100}', '❤ 葛'],
])('%s: %p becomes %p', (_, text, expected) => {
  expect(fold(text)).toBe(expected);
});

test.each([
  ['dakuten', 'か', 'が'],
  ['vowel signs of Devanagari', 'कि', 'की'],
  ['vowel signs of Thai', 'กิ', 'กี'],
  ['points of Hebrew', 'שלום', 'שָׁלוֹם'],
  ['vowel signs of Arabic', 'كتب', 'كَتَبَ'],
])('%s distinguish', (_, one, other) => {
  expect(fold(one)).not.toBe(fold(other));
});

describe('any text', () => {
  const text = fc.string({ unit: 'binary', maxLength: 10 });

  test('folds the same composed and decomposed', () => {
    fc.assert(fc.property(text, (text) => expect(fold(text.normalize('NFD'))).toBe(fold(text.normalize('NFC')))));
  });

  test('does not change when folded again', () => {
    fc.assert(fc.property(text, (text) => expect(fold(fold(text))).toBe(fold(text))));
  });
});
