import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { deriveTitle } from './derive-title.ts';

describe('the title derived from a text', () => {
  test('is its first line that is not blank', () => {
    expect(deriveTitle('\r\n  \n\t git status  \nsecond')).toBe('git status');
    expect(deriveTitle(' \n ')).toBe('');
    expect(deriveTitle('#!/bin/sh\n\nset -e\n')).toBe('set -e');
    expect(deriveTitle('#!/bin/sh\n')).toBe('#!/bin/sh');
    expect(deriveTitle('\n## Restart nginx\nfirst')).toBe('Restart nginx');
    expect(deriveTitle('#tag')).toBe('#tag');
  });

  test('can be stored, however long the line is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 500 }), fc.nat(3), (line, shift) => {
        const title = deriveTitle('a'.repeat(shift) + line.repeat(3) + '🙂'.repeat(300));

        expect(title.isWellFormed() || !line.isWellFormed()).toBe(true);
        expect([...title].length).toBeLessThanOrEqual(200);
      }),
    );
  });
});
