import { expect, test } from 'bun:test';
import { guessCategory } from './guess-category.ts';

const samples: readonly (readonly [category: ReturnType<typeof guessCategory>, text: string])[] = [
  ['bash-commands', 'git rebase -i HEAD~3'],
  ['bash-commands', 'git push\n'],
  ['bash-commands', '$ make'],
  ['bash-commands', 'ann@web:~/src$ ls'],
  ['bash-commands', 'kubectl get pods -A'],
  ['bash-commands', "docker ps --format '{{.Names}}'"],
  ['bash-commands', 'git checkout {{branch}}'],
  ['bash-commands', 'find . -name "*.log" -delete'],
  ['bash-commands', 'for f in *.png; do cwebp "$f" -o "$f.webp"; done'],
  ['bash-commands', 'DEBUG=1 npm run dev'],
  ['bash-commands', 'sudo systemctl restart nginx'],
  ['bash-commands', "ps aux | grep node | awk '{print $2}'"],
  ['bash-commands', 'ssh -L 8080:localhost:80 root@10.0.0.4'],
  ['bash-commands', '# Restart the proxy\nsudo nginx -t && sudo systemctl reload nginx'],
  ['bash-commands', 'docker run --rm \\\n  -v "$PWD":/src \\\n  alpine sh'],
  ['bash-commands', '#!/usr/bin/env bash\nset -euo pipefail\n'],
  ['bash-commands', '```bash\ncd /tmp\n```'],
  ['bash-commands', 'export EDITOR=vim'],
  ['css', '.box {\n  display: grid;\n  place-items: center;\n}\n'],
  ['css', 'a:hover { color: red }'],
  ['css', ':root { --gap: 1rem; }'],
  ['css', '@media (width < 40rem) {\n  nav { display: none; }\n}'],
  ['css', 'display: grid;\nplace-items: center;'],
  ['css', '/* Centre */\n.box, input[type="text"] { margin: auto; }'],
  ['css', '.card {\n  &:hover { color: red; }\n}'],
  ['css', '```css\nb { color: red }\n```'],
  ['prompts', 'Summarise the text in {{count}} sentences'],
  ['prompts', 'Translate into {{target language}}:\n\n{{text}}'],
  ['prompts', 'You are an editor. Shorten what follows.'],
  ['prompts', 'Make {{thing}} shorter'],
  ['chat-tool', 'You: How do I centre a div?\nChatGPT: With grid.'],
  ['chat-tool', 'User: hi\n\nAssistant: Hello!\nUser: bye'],
  ['chat-tool', 'You said:\nhi\nChatGPT said:\nHello'],
  ['chat-tool', '**Human:** run `git status`\n\n**Claude:** done'],
  ['host-town', 'Host web\n  HostName 10.0.0.4\n  User root'],
  ['host-town', '192.168.1.10  nas nas.local'],
  ['host-town', 'HostName bastion.example.com'],
  ['host-town', '127.0.0.1 localhost\n::1 localhost'],
  ['host-town', 'db.example.com:5432'],
  ['host-town', 'https://grafana.example.com/'],
  [undefined, ''],
  [undefined, 'Buy milk'],
  [undefined, 'git is a tool for version control'],
  [undefined, 'docker vs podman'],
  [undefined, 'Find the best way home.'],
  [undefined, 'make it work, then make it fast'],
  [undefined, 'git stash lets you save changes for later.'],
  [undefined, 'User: root'],
  [undefined, 'You: must read this'],
  [undefined, 'Note: the meeting is at 12:30'],
  [undefined, '{"name": "notes", "version": "1.0.0"}'],
  [undefined, 'const size = { width: 4 };'],
  [undefined, 'export const a = { color: "red" };'],
  [undefined, 'interface Box { width: number; }'],
  [undefined, 'def area(r):\n    return 3 * r ** 2'],
  [undefined, 'SELECT id FROM notes WHERE archived = false;'],
  [undefined, '#!/usr/bin/env python3\nimport os\nprint(os.name)'],
  [undefined, '# Meeting\n\n- call Ann\n- write to Bob'],
  [undefined, 'on: push\njobs:\n  test:\n    runs-on: ubuntu'],
  [undefined, 'Updated to version 1.2.3'],
  [undefined, 'https://example.com/articles/how-to-write?id=12'],
  [undefined, `run: $\{{ github.sha }}`],
  [undefined, 'ann@example.com'],
  [undefined, 'if (a) { b: c; }'],
  [undefined, 'Time is money'],
];

test.each(samples)('guesses %p of %p', (category, text) => {
  expect(guessCategory(text)).toBe(category);
});

test('looks at the beginning of a long text only, and soon ends', () => {
  const start = performance.now();

  for (const part of ['a ', '{{', '.a{', 'git ', '1.', 'a-a:', '$ ', '```bash\n', 'User:\n', '/* '])
    guessCategory(part.repeat(500_000));

  expect(performance.now() - start).toBeLessThan(5_000);
});
