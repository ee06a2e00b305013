import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { fold } from './folding.ts';
import {
  cacheFoldedText,
  findMatchesInText,
  findMistypedMatchesInText,
  type Searchable,
  searchExactlyOrMistyped,
} from './search.ts';

let lastId = 0;
const note = (title: string, content = 'nothing'): Searchable => {
  lastId++;
  return { id: lastId, title, content, updatedAt: '2026-01-01T00:00:00.000Z' };
};
const titles = (found: readonly Searchable[]) => found.map(({ title }) => title);
const marked = (text: string, query: string) =>
  findMatchesInText(text, query).map(({ start, end }) => text.slice(start, end));
const nearlyMarked = (text: string, query: string) =>
  findMistypedMatchesInText(text, query).map(({ start, end }) => text.slice(start, end));

const splitIntoFoldedWords = (query: string) => fold(query).split(/\s+/).filter(Boolean);

/** Short texts from a few characters, so that they often contain each other; many change length when folded. */
const odd = 'aabbsfi   É e\u0301 İ ß ﬁ Σς 한국 が か ｶ ﾞ \u3099 ㍿ 株 ´ ≠ कि \u00adש\u05b8\u05bc’ 👩‍💻 ❤️ \n2>&-*(';
const character = fc.constantFrom(...(odd.match(/./gsu) ?? []));
const text = fc.string({ unit: character, minLength: 1, maxLength: 30 });
const query = fc.string({ unit: character, maxLength: 5 });

describe('search', () => {
  test('finds all notes in their order for an empty query', () => {
    const notes = [note('b'), note('a'), note('c')];

    const found = searchExactlyOrMistyped(notes, ' \t ');

    expect(found).toEqual(notes);
    expect(found).not.toBe(notes);
  });

  test.each([
    ['ZOE', 'Zoë'],
    ['οδος', 'ΟΔΟΣ'],
    ['국', '한국어'],
    ['database', 'data\u00adbase'],
    ["don't", 'Don’t'],
    ['“as is”', 'say "as is"'],
    ['שלום', 'שָׁלוֹם'],
    ['שָׁלוֹם', 'שלום'],
    ['كتب', 'كَتَبَ'],
  ])('finds by %p a note on %p', (query, title) => {
    expect(titles(searchExactlyOrMistyped([note('other'), note(title)], query))).toEqual([title]);
  });

  test.each(['2>&1', '--no-cache', '#b2ccd6', '$(pwd)', 'a|b', '.*', '\\d+', '[0]', '^x$', '{{name}}'])(
    'takes %s as it is',
    (query) => {
      const notes = [note('2 1 no cache b2ccd6 pwd a b d 0 x name'), note('it', `run ${query} now`)];

      expect(titles(searchExactlyOrMistyped(notes, query))).toEqual(['it']);
    },
  );

  test.each<[order: string, query: string, best: [title: string, content?: string][]]>([
    [
      'a phrase above its words, the title above the content, the beginning of a word above its inside',
      'Docker run',
      [
        ['to docker run it'],
        ['newdocker runs'],
        ['phrase', 'docker running'],
        ['phrase inside', 'a newdocker run'],
        ['run a docker'],
        ['docker', 'and run'],
        ['words', 'run in docker'],
        ['words inside', 'rerun with docker'],
      ],
    ],
    [
      'the title above the content for a single word too',
      'grid',
      [['a grid'], ['a gridline'], ['ingrid', 'grid'], ['in', 'gridded'], ['inside', 'ingrid']],
    ],
    ['the beginning of a word in Cyrillic', 'код', [['код'], ['декод']]],
    ['the beginning of a word in Devanagari', 'कि', [['कि'], ['ककि']]],
    ['words as typed above words that fold alike', 'cafe', [['inside', 'a-cafe'], ['café']]],
    ['words as typed above their upper case of other letters', 'straße', [['inside', 'a-straße'], ['strasse']]],
    ['composed and decomposed letters the same', 'résumé', [['Re\u0301sume\u0301'], ['inside', 'a-résumé']]],
    [
      'a phrase across lines and columns',
      'host:  halden',
      [
        ['1', 'Host:\n    halden'],
        ['2', 'halden, Host:'],
      ],
    ],
    [
      'by the number of words as typed, if no note contains all',
      'ledger halden',
      [
        ['ledger', 'halben'],
        ['lodger', 'halben'],
      ],
    ],
    [
      'mistyped words above words that only begin alike, then the title above the content',
      'lodger',
      [['ledger'], ['in', 'ledger'], ['ledgerbook'], ['in', 'ledgerbook']],
    ],
  ])('ranks %s', (_, query, best) => {
    const notes = best.map(([title, content]) => note(title, content));

    expect(searchExactlyOrMistyped(notes.toReversed(), query)).toEqual(notes);
  });

  test('keeps the order of notes of equal rank', () => {
    const notes = Array.from({ length: 100 }, (_, index) => note(`grid ${index}`));

    expect(searchExactlyOrMistyped(notes, 'grid')).toEqual(notes);
  });

  test.each([
    ['more', 'conttainer'],
    ['less', 'contaner'],
    ['other', 'contaimer'],
    ['first', 'bontainer'],
    ['left out of the beginning', 'cotainer'],
    ['last', 'containet'],
    ['swapped', 'conatiner'],
    ['unfinished', 'conatin'],
  ])('finds a word with one character that is %s: %s', (_, query) => {
    expect(titles(searchExactlyOrMistyped([note('a contract'), note('a (container)')], query))).toEqual([
      'a (container)',
    ]);
  });

  test.each([
    ['no word across the end of the title and the start of the content', 'output', [['out', 'put']], []],
    ['no word that has two mistakes', 'cotnaienr', [['container']], []],
    ['no word that has two mistakes side by side', 'coxyainer', [['container']], []],
    ['no word with a mistake in fewer than four characters', 'rnu', [['run']], []],
    ['no mistyped word inside of another word', 'darent', [['supergarent']], []],
    ['no mistyped word while a note contains it as typed', 'test', [['text'], ['test']], ['test']],
    ['four letters with a mistake only where a word ends', 'kill', [['billing'], ['kiltmaker'], ['kilt']], ['kilt']],
    [
      'words that fold alike before mistyped ones',
      'rèsume',
      [['resumé'], ['resumed'], ['resune']],
      ['resumé', 'resumed'],
    ],
    ['the notes that contain every word', 'css grid', [['Grids', 'with css'], ['grid'], ['css']], ['Grids']],
    [
      'other endings',
      'listening ports',
      [['listed'], ['a porthole'], ['It listens on a port']],
      ['It listens on a port'],
    ],
    ['other endings of y', 'retry', [['returns'], ['All retries']], ['All retries']],
  ])('finds %s', (_, query, all, expected) => {
    const notes = all.map(([title = '', content]) => note(title, content));

    expect(titles(searchExactlyOrMistyped(notes, query))).toEqual(expected);
  });

  test('finds the same in prepared notes', () => {
    const [early, late] = [note('a Grid'), note('a grid')];
    cacheFoldedText(early);

    expect(searchExactlyOrMistyped([early, late], 'grid')).toEqual([early, late]);
  });

  test('finds exactly the notes that contain all words, if there are any', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), query, (contents, query) => {
        const notes = contents.map((content) => note('title', content));
        const holders = notes.filter(({ title, content }) =>
          splitIntoFoldedWords(query).every((word) => fold(title).includes(word) || fold(content).includes(word)),
        );

        const found = searchExactlyOrMistyped(notes, query);

        const byId = (a: Searchable, b: Searchable) => a.id - b.id;
        if (holders.length > 0) expect(found.toSorted(byId)).toEqual(holders);
      }),
    );
  });
});

/** Whether a text has the word, where one or two letters count only as a whole word. */
const isMarkedIn = (text: string, word: string) =>
  /^[\p{Ll}\p{Nd}]{1,2}$/u.test(word)
    ? new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])${word}(?![\\p{L}\\p{M}\\p{N}])`, 'u').test(text)
    : text.includes(word);

/** Whether a code point with its marks begins or ends here. */
const isBoundary = (text: string, at: number) =>
  at === 0 || !(/[\ud800-\udbff]/.test(text.charAt(at - 1)) || /^[\p{M}ﾞﾟ\u00ad]/u.test(text.slice(at)));

describe('matches', () => {
  test.each([
    ['Find the grid, Grid!', 'grid FIND', ['Find', 'grid', 'Grid']],
    ['run 2>&1 | tee', '2>&1 |', ['2>&1', '|']],
    ['Café CAFE\u0301S', 'cafe', ['Café', 'CAFE\u0301']],
    ['e\u0301 a', 'a', ['a']],
    ['Édit the tree, e', 'e', ['e']],
    ['a4, 4a, 44, 4', '4', ['4']],
    ['a change', 'a change', ['a', 'change']],
    ['Things in, within IN', 'in', ['in', 'IN']],
    ['-in- in_', 'in', ['in', 'in']],
    ['a things', 'things in', ['things']],
    ['stab', 'st tab', ['tab']],
    ['the other', 'the', ['the', 'the']],
    ['data\u00adbase', 'database', ['data\u00adbase']],
    ['שָׁלוֹם', 'שלום', ['שָׁלוֹם']],
    ['Don’t', "don't", ['Don’t']],
    ['👩‍💻 a 👩‍💻', 'a 👩‍💻', ['👩‍💻', 'a', '👩‍💻']],
    ['한국어', '국', ['국']],
    ['한국어', '하', ['한']],
    ['Straße, GROẞ', 'strasse s', ['Straße']],
    ['ﬁnd a ﬁle', 'fin ile', ['ﬁn', 'ﬁle']],
    ['ﬁ ﬁle', 'fi', ['ﬁ']],
    ['aﬁx', 'i', []],
    ['ｶﾞｲﾄﾞ ガイド', 'ガイド', ['ｶﾞｲﾄﾞ', 'ガイド']],
    ['कि की', 'कि', ['कि']],
    ['banana', 'ana ban', ['ban', 'ana']],
    ['gridgrids', 'grid grids', ['grid', 'grids']],
    ['nothing', 'grid', []],
  ])('marks in %p what %p asks for', (text, query, expected) => {
    const found = marked(text, query);

    expect(found).toEqual(expected);
  });

  test('stops at the limit', () => {
    const found = findMatchesInText('aaaaaaaaa', 'aaa', 2);

    expect(found).toEqual([
      { start: 0, end: 3 },
      { start: 3, end: 6 },
    ]);
  });

  test('marks all words of the query and nothing else, ascending and without overlaps', () => {
    fc.assert(
      fc.property(text, query, (text, query) => {
        const found = findMatchesInText(text, query);

        const parts = found.map(({ start, end }) => fold(text.slice(start, end)));
        expect(parts.every((part) => splitIntoFoldedWords(query).some((word) => part.includes(word)))).toBe(true);
        expect(found.every(({ start }, index) => start >= (found[index - 1]?.end ?? 0))).toBe(true);
        expect(found.flatMap(({ start, end }) => [start, end]).every((at) => isBoundary(text, at))).toBe(true);
        expect(found.length > 0).toBe(splitIntoFoldedWords(query).some((word) => isMarkedIn(fold(text), word)));
      }),
    );
  });
});

describe('nearMatches', () => {
  test.each([
    ['a Container, containers', 'conatiner', ['Container', 'container']],
    ['Find the grid', 'gird fnid', ['Find', 'grid']],
    ['Über den Dächern', 'dahcern', ['Dächern']],
    ['Die Straße, ein ﬁle', 'strase fille', ['Straße', 'ﬁle']],
    ['gri', 'grid', ['gri']],
    ['the grid', 'gird grud', ['grid']],
    ['a "reviews of a commit', 'comit reviews', ['reviews', 'commit']],
  ])('marks in %p what %p comes near to', (text, query, expected) => {
    const found = nearlyMarked(text, query);

    expect(found).toEqual(expected);
  });

  test('marks whole code points, ascending and without overlaps', () => {
    fc.assert(
      fc.property(text, query, (text, query) => {
        const found = findMistypedMatchesInText(text, query);

        expect(found.every(({ start, end }, index) => start >= (found[index - 1]?.end ?? 0) && end > start)).toBe(true);
        expect(found.flatMap(({ start, end }) => [start, end]).every((at) => isBoundary(text, at))).toBe(true);
      }),
    );
  });

  test('stops at the limit', () => {
    const found = findMistypedMatchesInText('grid grid grid', 'gird', 2);

    expect(found).toEqual([
      { start: 0, end: 4 },
      { start: 5, end: 9 },
    ]);
  });
});
