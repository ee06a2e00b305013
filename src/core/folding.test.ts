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
  ['soft hyphens', 'Daten\u00adbank', 'datenbank'],
  ['what has no width', '\ufeffdata\u200bbase می\u200cخواهم', 'database میخواهم'],
  ['curly quotes', '‘a’ ‚b‛ “c” „d‟', '\'a\' \'b\' "c" "d"'],
  ['points of Hebrew', 'שָׁלוֹם', 'שלום'],
  ['composed points of Hebrew', 'שׁ', 'ש'],
  ['vowel signs and elongation of Arabic', 'كَتَبَ كـــتب', 'كتب كتب'],
  ['letters of Arabic with a hamza', 'أ إ آ ؤ', 'أ إ آ ؤ'.normalize('NFKD')],
])('%s: %p becomes %p', (_, text, expected) => {
  expect(fold(text)).toBe(expected);
});

test.each([
  ['dakuten', 'か', 'が'],
  ['vowel signs of Devanagari', 'कि', 'की'],
  ['vowel signs of Thai', 'กิ', 'กี'],
  ['letters of Arabic', 'ا', 'أ'],
  ['guillemets and quotes', '"', '«'],
])('%s distinguish', (_, one, other) => {
  expect(fold(one)).not.toBe(fold(other));
});

describe('any text', () => {
  const text = fc.string({ unit: 'binary', maxLength: 10 });

  test('folds the same composed and decomposed', () => {
    fc.assert(fc.property(text, (text) => expect(fold(text.normalize('NFD'))).toBe(fold(text.normalize('NFC')))));
  });

  const oddText = fc.string({
    unit: fc.constantFrom(...'ae\u00ad\u0301\u05b8\u05bcש\u064b\u0653كか\u3099\u0591ि\u093c’"\ufe0f\u0338'),
    maxLength: 8,
  });

  test.each([
    ['composed and decomposed', 'NFC'],
    ['again', 'NFD'],
  ] as const)('with odd marks folds the same %s', (_, form) => {
    fc.assert(fc.property(oddText, (text) => expect(fold(fold(text.normalize(form)))).toBe(fold(text))));
  });

  test('folds the same in a text as in a part of it that ASCII surrounds', () => {
    fc.assert(fc.property(fc.array(oddText), (parts) => expect(fold(parts.join('a'))).toBe(parts.map(fold).join('a'))));
  });

  test('does not change when folded again', () => {
    fc.assert(fc.property(text, (text) => expect(fold(fold(text))).toBe(fold(text))));
  });
});
