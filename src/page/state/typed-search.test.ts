import { expect, test } from 'bun:test';
import { corpus } from '../../../test/support/data/corpus.ts';
import { portableNote } from '../../../test/support/service.ts';
import { search } from '../../core/search.ts';
import { typedSearch } from './typed-search.ts';

const notes = [
  ...corpus(2_000),
  { title: 'Straße in Θεσσαλονίκης', content: 'Cafe\u0301 au lait, ο λόγος' },
  { title: 'undoing', content: 'the un do' },
  { title: 'ガイド', content: 'a guide' },
].map((draft, index) => portableNote(index + 1, draft));

const lettersOf = (text: string) => [...text].map((_, index, all) => all.slice(0, index + 1).join(''));

test('each step of typing, taking back and changing finds what a search from the start finds', () => {
  const typed = typedSearch(notes);
  const texts = [
    'undo the last',
    'un do',
    '--no-cache  x',
    'λόγος',
    'cafe\u0301 au',
    'café',
    'STRASSE',
    'straß',
    'ｶﾞｲﾄﾞ',
  ];
  const mistyped = ['backup databse now', 'kuberntes deplyo', 'grahp the', 'cafe\u0301z', 'docekr compsoe'];
  const queries = [...texts, ...mistyped].flatMap((text) => [
    ...lettersOf(text),
    ...lettersOf(text).reverse(),
    text,
    `x${text}`,
    '',
    text,
  ]);

  for (const query of queries) {
    const ids = typed({ query }).notes.map(({ id }) => id);
    expect(ids, query).toEqual(search(notes, query).map(({ id }) => id));
  }
});
