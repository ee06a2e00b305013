import { expect, test } from 'bun:test';
import { createCorpus } from '../../../test/support/data/corpus.ts';
import { createPortableNote } from '../../../test/support/sample-notes.ts';
import { listBestHits, searchExactlyOrMistyped, sortHitsByRank } from '../../core/search.ts';
import { createIncrementalSearch } from './typed-search.ts';

const notes = [
  ...createCorpus(2_000),
  { title: 'Straße in Θεσσαλονίκης', content: 'Cafe\u0301 au lait, ο λόγος' },
  { title: 'undoing', content: 'the un do' },
  { title: 'ガイド', content: 'a guide' },
].map((draft, index) => createPortableNote(index + 1, draft));

const lettersOf = (text: string) => [...text].map((_, index, all) => all.slice(0, index + 1).join(''));

test('each step of typing, taking back and changing finds what a search from the start finds', () => {
  const typed = createIncrementalSearch(notes);
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
    const { hits } = typed({ query });
    const best = listBestHits(hits, 20).map(({ id }) => id);
    const ids = sortHitsByRank(hits).map(({ id }) => id);
    expect(ids, query).toEqual(searchExactlyOrMistyped(notes, query).map(({ id }) => id));
    expect(best, query).toEqual(ids.slice(0, 20));
  }
});
