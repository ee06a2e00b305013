import { describe, expect, test } from 'bun:test';
import { fillPlaceholders, placeholdersIn } from './placeholders.ts';

describe('placeholders', () => {
  test.each([
    ['Summarise {{text}} for {{ audience }}, then {{text}}', ['text', 'audience']],
    ['ssh {{user name}}@{{host-1}}', ['user name', 'host-1']],
    ['{{größe}} {{名前}}', ['größe', '名前']],
    ["docker ps --format '{{.Names}}'", []],
    ['key: $' + '{{ github.sha }} $' + '{{ name }}', []],
    ['{{}} {{ }} {{-}} { {a} } {{a\nb}}', []],
  ])('in %j are %j', (text, names) => {
    expect(placeholdersIn(text)).toEqual(names);
  });

  test('are replaced by their values, whatever these hold', () => {
    const values = new Map([
      ['a', '$& {{b}}'],
      ['b', ''],
    ]);

    expect(fillPlaceholders('{{a}}|{{ a }}|{{b}}|{{c}}', values)).toBe('$& {{b}}|$& {{b}}||{{c}}');
  });
});
