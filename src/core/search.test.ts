import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { fold } from './folding.ts';
import { matches, nearMatches, prepare, type Searchable, search } from './search.ts';

let lastId = 0;
const note = (title: string, content = 'nothing'): Searchable => {
  lastId++;
  return { id: lastId, title, content, updatedAt: '2026-01-01T00:00:00.000Z' };
};
const titles = (found: readonly Searchable[]) => found.map(({ title }) => title);
const marked = (text: string, query: string) => matches(text, query).map(({ start, end }) => text.slice(start, end));
const nearlyMarked = (text: string, query: string) =>
  nearMatches(text, query).map(({ start, end }) => text.slice(start, end));

const wordsIn = (query: string) => fold(query).split(/\s+/).filter(Boolean);

/** Short texts from a few characters, so that they often contain each other; many change length when folded. */
const odd = 'aabbsfi   É e\u0301 İ ß ﬁ Σς 한국 が か ｶ ﾞ \u3099 ㍿ 株 ´ ≠ कि \u05b8\u05bc 👩‍💻 ❤️ \n2>&-*(';
const character = fc.constantFrom(...(odd.match(/./gsu) ?? []));
const text = fc.string({ unit: character, minLength: 1, maxLength: 30 });
const query = fc.string({ unit: character, maxLength: 5 });

describe('search', () => {
  test('finds all notes in their order for an empty query', () => {
    const notes = [note('b'), note('a'), note('c')];

    const found = search(notes, ' \t ');

    expect(found).toEqual(notes);
    expect(found).not.toBe(notes);
  });

  test('finds the notes that contain every word, in the title or the content', () => {
    const notes = [note('Centre a grid', 'with css'), note('grid'), note('css'), note('Grids of CSS')];

    const found = search(notes, 'css grid');

    expect(titles(found).sort()).toEqual(['Centre a grid', 'Grids of CSS']);
  });

  test('does not match a word across the end of the title and the start of the content', () => {
    const notes = [note('out', 'put')];

    const found = search(notes, 'output');

    expect(found).toEqual([]);
  });

  test.each([
    ['ZOE', 'Zoë'],
    ['zoë', 'ZOE'],
    ['e\u0301te\u0301', 'Été'],
    ['istanbul', 'İSTANBUL'],
    ['οδοσ', 'ΟΔΟΣ'],
    ['οδος', 'ΟΔΟΣ'],
    ['국', '한국어'],
    ['ｎｏｔｅ', 'Note'],
  ])('finds by %p a note on %p', (query, title) => {
    const notes = [note('other'), note(title)];

    const found = search(notes, query);

    expect(titles(found)).toEqual([title]);
  });

  test.each(['2>&1', '--no-cache', '#b2ccd6', '$(pwd)', 'a|b', '.*', '\\d+', '[0]', '^x$', '{{name}}'])(
    'takes %s as it is',
    (query) => {
      const notes = [note('2 1 no cache b2ccd6 pwd a b d 0 x name'), note('it', `run ${query} now`)];

      const found = search(notes, query);

      expect(titles(found)).toEqual(['it']);
    },
  );

  test('ranks a phrase above its words, the title above the content, the beginning of a word above its inside', () => {
    const best = [
      note('to docker run it'),
      note('newdocker runs'),
      note('phrase', 'docker running'),
      note('phrase inside', 'a newdocker run'),
      note('run a docker'),
      note('docker', 'and run'),
      note('words', 'run in docker'),
      note('words inside', 'rerun with docker'),
    ];

    const found = search(best.toReversed(), 'Docker run');

    expect(titles(found)).toEqual(titles(best));
  });

  test('ranks the title above the content for a single word too', () => {
    const best = [
      note('a grid'),
      note('a gridline'),
      note('ingrid', 'grid'),
      note('in', 'gridded'),
      note('inside', 'ingrid'),
    ];

    const found = search(best.toReversed(), 'grid');

    expect(titles(found)).toEqual(titles(best));
  });

  test.each([
    ['код', ['код', 'декод']],
    ['कि', ['कि', 'ककि']],
    ['न', ['न', 'किन']],
  ])('knows where %s begins a word', (query, best) => {
    const found = search(
      best.toReversed().map((title) => note(title)),
      query,
    );

    expect(titles(found)).toEqual(best);
  });

  test.each([
    ['résumé', 'Re\u0301sume\u0301'],
    ['resume', 'résumé'],
    ['cafe', 'café'],
    ['STRASSE', 'straße'],
    ['straße', 'strasse'],
    ['ガ', 'ｶﾞ'],
    ['find', 'ﬁnd'],
    ['мой', 'мои'],
  ])('ranks a note with %s as typed in its content above %s in a title', (query, alike) => {
    const best = [note('inside', `a-${query.toLowerCase()}`), note(alike)];
    const [first = '', second = ''] = query === 'résumé' ? titles(best).reverse() : titles(best);

    const found = search(best.toReversed(), query);

    expect(titles(found)).toEqual([first, second]);
  });

  test('ranks words that fold alike above words with a typing error', () => {
    const notes = [note('resumé'), note('resumed'), note('resune')];

    const found = search(notes, 'rèsume');

    expect(titles(found)).toEqual(['resumé', 'resumed']);
  });

  test('finds a phrase across lines and columns', () => {
    const best = [note('1', 'Host:\n    halden'), note('2', 'halden, Host:')];

    const found = search(best.toReversed(), 'host:  halden');

    expect(titles(found)).toEqual(['1', '2']);
  });

  test('keeps the order of notes of equal rank', () => {
    const notes = Array.from({ length: 100 }, (_, index) => note(`grid ${index}`));

    const found = search(notes, 'grid');

    expect(found).toEqual(notes);
  });

  test.each([
    ['more', 'conttainer'],
    ['less', 'contaner'],
    ['other', 'contaimer'],
    ['first', 'bontainer'],
    ['left out of the beginning', 'cotainer'],
    ['last', 'containet'],
    ['swapped', 'conatiner'],
    ['swapped at first', 'ocntainer'],
    ['swapped in the middle', 'contianer'],
    ['unfinished', 'conatin'],
  ])('finds a word with one character that is %s: %s', (_, query) => {
    const notes = [note('a contract'), note('a (container)')];

    const found = search(notes, query);

    expect(titles(found)).toEqual(['a (container)']);
  });

  test.each([
    ['has two mistakes', 'cotnaienr', 'container'],
    ['has two mistakes side by side', 'coxyainer', 'container'],
    ['has fewer than four characters', 'rnu', 'run'],
    ['would stand inside of another word', 'darent', 'supergarent'],
  ])('finds no word that %s', (_, query, title) => {
    const notes = [note(title)];

    const found = search(notes, query);

    expect(found).toEqual([]);
  });

  test('forgives no typing error while a note contains the word as typed', () => {
    const notes = [note('text'), note('test')];

    const found = search(notes, 'test');

    expect(titles(found)).toEqual(['test']);
  });

  test('forgives an error in four letters only where a word ends with them', () => {
    const notes = [note('billing'), note('kiltmaker'), note('kilt')];

    const found = search(notes, 'kill');

    expect(titles(found)).toEqual(['kilt']);
  });

  test.each([
    ['listening ports', 'Which process listens on port 80'],
    ['retry', 'All retries'],
    ['deployed copies', 'deploying what copied'],
  ])('finds %s with other endings in "%s"', (query, title) => {
    const found = search([note('listed'), note('a porthole'), note('returns'), note(title)], query);

    expect(titles(found)).toEqual([title]);
  });

  test('ranks notes by the number of words as typed, if no note contains all', () => {
    const best = [note('ledger', 'halben'), note('lodger', 'halben')];

    const found = search(best.toReversed(), 'ledger halden');

    expect(found).toEqual(best);
  });

  test('ranks mistyped words above words that only begin alike, then the title above the content', () => {
    const best = [note('ledger'), note('in', 'ledger'), note('ledgerbook'), note('in', 'ledgerbook')];

    const found = search(best.toReversed(), 'lodger');

    expect(found).toEqual(best);
  });

  test('finds the same in prepared notes', () => {
    const [early, late] = [note('a Grid'), note('a grid')];
    prepare(early);

    const found = search([early, late], 'grid');

    expect(found).toEqual([early, late]);
  });

  test('searches a note of 8 MB', () => {
    const huge = note('huge', `${'Ünd so weiter. '.repeat(8 * 2 ** 16)}needle`);

    const found = search([note('small'), huge], 'needle');

    expect(titles(found)).toEqual(['huge']);
  });

  test('finds exactly the notes that contain all words, if there are any', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), query, (contents, query) => {
        const notes = contents.map((content) => note('title', content));
        const holders = notes.filter(({ title, content }) =>
          wordsIn(query).every((word) => fold(title).includes(word) || fold(content).includes(word)),
        );

        const found = search(notes, query);

        const byId = (a: Searchable, b: Searchable) => a.id - b.id;
        if (holders.length > 0) expect(found.toSorted(byId)).toEqual(holders);
      }),
    );
  });
});

/** Whether a text has the word, where a single letter counts only as the first of a word. */
const isMarkedIn = (text: string, word: string) =>
  /^[\p{Ll}\p{Nd}]$/u.test(word) ? new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])${word}`, 'u').test(text) : text.includes(word);

/** Whether a code point with its marks begins or ends here. */
const isBoundary = (text: string, at: number) =>
  at === 0 || !(/[\ud800-\udbff]/.test(text.charAt(at - 1)) || /^[\p{M}ﾞﾟ]/u.test(text.slice(at)));

describe('matches', () => {
  test.each([
    ['Find the grid, Grid!', 'grid FIND', ['Find', 'grid', 'Grid']],
    ['run 2>&1 | tee', '2>&1 |', ['2>&1', '|']],
    ['Café CAFE\u0301S', 'cafe', ['Café', 'CAFE\u0301']],
    ['e\u0301 a', 'a', ['a']],
    ['İİ x', 'x', ['x']],
    ['Straße e ﬁ x', 'e x', ['e', 'x']],
    ['Édit the tree, e', 'e', ['É', 'e']],
    ['a4, 4a, 44', '4', ['4', '4']],
    ['a change', 'a change', ['a', 'change']],
    ['a|b||', '|', ['|', '|', '|']],
    ['👩‍💻 a 👩‍💻', 'a 👩‍💻', ['👩‍💻', 'a', '👩‍💻']],
    ['한국어', '국', ['국']],
    ['한국어', '하', ['한']],
    ['\u{11013}\u{11038}a', 'a', ['a']],
    ['Straße, GROẞ', 'strasse s', ['Straße']],
    ['Straße', 's', ['S']],
    ['großes', 'ss', ['ß']],
    ['ﬁnd a ﬁle', 'fi le', ['ﬁ', 'ﬁ', 'le']],
    ['aﬁx', 'i', []],
    ['（株）と㍿', '会社', ['㍿']],
    ['ｶﾞｲﾄﾞ ガイド', 'ガイド', ['ｶﾞｲﾄﾞ', 'ガイド']],
    ['か\u3099く', 'がく', ['か\u3099く']],
    ['कि की', 'कि', ['कि']],
    ['banana', 'ana ban', ['ban', 'ana']],
    ['gridgrids', 'grid grids', ['grid', 'grids']],
    ['nothing', 'grid', []],
    ['nothing', ' ', []],
  ])('marks in %p what %p asks for', (text, query, expected) => {
    const found = marked(text, query);

    expect(found).toEqual(expected);
  });

  test('stops at the limit', () => {
    const found = matches('aaaaaa', 'aa', 2);

    expect(found).toEqual([
      { start: 0, end: 2 },
      { start: 2, end: 4 },
    ]);
  });

  test('marks all words of the query and nothing else, ascending and without overlaps', () => {
    fc.assert(
      fc.property(text, query, (text, query) => {
        const found = matches(text, query);

        const parts = found.map(({ start, end }) => fold(text.slice(start, end)));
        expect(parts.every((part) => wordsIn(query).some((word) => part.includes(word)))).toBe(true);
        expect(found.every(({ start }, index) => start >= (found[index - 1]?.end ?? 0))).toBe(true);
        expect(found.flatMap(({ start, end }) => [start, end]).every((at) => isBoundary(text, at))).toBe(true);
        expect(found.length > 0).toBe(wordsIn(query).some((word) => isMarkedIn(fold(text), word)));
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
    ['ｶﾞｲﾄﾞ', 'ガイトド', ['ｶﾞｲﾄﾞ']],
    ['gri', 'grid', ['gri']],
    ['gri d', 'grif', ['gri']],
    ['run', 'rnu', []],
    ['the grid', 'gird grud', ['grid']],
    ['b 2>&1 b', '2>&1', ['2>&1']],
    ['a "reviews of a commit', 'comit reviews', ['reviews', 'commit']],
  ])('marks in %p what %p comes near to', (text, query, expected) => {
    const found = nearlyMarked(text, query);

    expect(found).toEqual(expected);
  });

  test('marks whole code points, ascending and without overlaps', () => {
    fc.assert(
      fc.property(text, query, (text, query) => {
        const found = nearMatches(text, query);

        expect(found.every(({ start, end }, index) => start >= (found[index - 1]?.end ?? 0) && end > start)).toBe(true);
        expect(found.flatMap(({ start, end }) => [start, end]).every((at) => isBoundary(text, at))).toBe(true);
      }),
    );
  });

  test('stops at the limit', () => {
    const found = nearMatches('grid grid grid', 'gird', 2);

    expect(found).toEqual([
      { start: 0, end: 4 },
      { start: 5, end: 9 },
    ]);
  });
});
