import { expect, test } from 'bun:test';
import type { AccessToken } from '../core/setting-values.ts';
import { formatExposureWarningIfAny } from './exposure-warning.ts';

const token: AccessToken = { name: 'ada', rights: 'full', token: '0123456789abcdef' };
const advice = 'Set a token in the file ACCESS_TOKEN_FILE: docs/operations/access.md';
const onNetwork = (address: string) => `Everybody who reaches ${address} can read and change all notes. ${advice}`;

test.each([
  ['127.0.0.1', [], undefined],
  ['127.1.2.3', [], undefined],
  ['::1', [], undefined],
  ['0.0.0.0', [], onNetwork('0.0.0.0')],
  ['::', [], onNetwork('::')],
  ['192.168.1.4', [], onNetwork('192.168.1.4')],
  [
    '127.0.0.1',
    ['*'],
    `Any web page opened on this machine can read and change all notes, since ALLOWED_HOSTS is *. ${advice}`,
  ],
  [
    '0.0.0.0',
    ['*'],
    'Everybody who reaches 0.0.0.0, and any web page that they open, since ALLOWED_HOSTS is *, ' +
      `can read and change all notes. ${advice}`,
  ],
])('without a token, at %p with the allowed hosts %p', (address, allowedHosts, sentence) => {
  expect(formatExposureWarningIfAny(address, { accessTokens: [], allowedHosts, corsOrigins: [] })).toBe(sentence);
});

test('with a token, nobody else has access', () => {
  expect(
    formatExposureWarningIfAny('0.0.0.0', { accessTokens: [token], allowedHosts: ['*'], corsOrigins: ['*'] }),
  ).toBeUndefined();
});

test('pages of any site have access where CORS is granted to all', () => {
  expect(formatExposureWarningIfAny('127.0.0.1', { accessTokens: [], allowedHosts: [], corsOrigins: ['*'] })).toBe(
    `Any web page opened on this machine can read and change all notes, since CORS_ORIGINS is *. ${advice}`,
  );
});
