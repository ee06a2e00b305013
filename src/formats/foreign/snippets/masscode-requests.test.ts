import { expect, test } from 'bun:test';
import { formatCurlCommandThenComments } from './masscode-requests.ts';

/** The words that a shell passes to curl. */
function splitInShell(command: string): readonly string[] {
  const { stdout } = Bun.spawnSync(['sh', '-c', `curl() { printf '%s\\0' "$@"; }\n${command}`]);
  return stdout.toString().split('\0').slice(0, -1);
}

test('a request becomes a command that a shell passes on exactly', () => {
  const body = `it's $HOME \`x\` "q"\\\n{{name}} ; rm -rf`;
  const request = { method: 'put', url: 'https://a.example/x?y=1#top', bodyType: 'text', body };

  const words = splitInShell(
    formatCurlCommandThenComments({
      ...request,
      headers: [
        { key: 'content-type', value: 'text/x', description: 'not\r\necho run' },
        { key: "it's", value: '$(x)' },
      ],
      query: [
        { key: 'y', value: '1' },
        { key: 'q', value: 'a b&c' },
      ],
      auth: { type: 'bearer', token: '{{token}}' },
      formData: [{ key: 'left', value: 'over\necho run' }],
    }),
  );

  expect(words).toEqual([
    ...['-X', 'PUT', 'https://a.example/x?y=1&q=a%20b%26c#top'],
    ...['-H', 'content-type: text/x', '-H', "it's: $(x)", '-H', 'Authorization: Bearer {{token}}'],
    ...['--data-raw', body],
  ]);
});

test('a form sends its fields, and a body that is not sent is a comment', () => {
  const form = {
    method: 'POST',
    url: '{{base}}/up',
    bodyType: 'multipart',
    body: 'former\nbody',
    formData: [
      { key: 'file', type: 'file', value: '/tmp/a b' },
      { key: 'text', type: 'text', value: '@x' },
    ],
  };

  expect(formatCurlCommandThenComments(form)).toBe(
    [
      "curl -g -X POST '{{base}}/up' \\",
      "  -F 'file=@/tmp/a b' \\",
      '  --form-string text=@x',
      '# off: body',
      '# former',
      '# body',
    ].join('\n'),
  );
  expect(formatCurlCommandThenComments({ method: 'HEAD', url: 'https://a.example' })).toBe(
    'curl --head -X HEAD https://a.example',
  );
});
