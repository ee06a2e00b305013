import { expect, test } from 'bun:test';
import { type DetectedLanguage, detectCodeLanguage } from './detect-code.ts';

/** A text of a note, and the language in which it is shown; undefined: as text. */
type Sample = readonly [name: string, language: DetectedLanguage | undefined, text: string];

const code: readonly Sample[] = [
  [
    'a class of Python',
    'python',
    'class Point:\n    def __init__(self, x, y):\n        self.x = x\n        self.y = y\n\n    def __repr__(self):\n        return f"({self.x}, {self.y})"\n',
  ],
  [
    'a script of Python',
    'python',
    'import sys\nfrom pathlib import Path\n\n# print every file that is larger than a megabyte\nfor path in Path(sys.argv[1]).rglob("*"):\n    if path.stat().st_size > 1_000_000:\n        print(path)\n',
  ],
  [
    'TypeScript',
    'typescript',
    "import { readFile } from 'node:fs/promises';\n\ninterface User {\n  name: string;\n  age?: number;\n}\n\nexport const load = async (path: string): Promise<User> => JSON.parse(await readFile(path, 'utf8'));\n",
  ],
  [
    'JavaScript',
    'typescript',
    "const list = document.querySelector('ul');\nlist.addEventListener('click', (event) => {\n  if (event.target.matches('li')) event.target.remove();\n});\n",
  ],
  ['documents of YAML', 'yaml', '---\nkind: Pod\nname: a\n---\nkind: Service\nname: b\n'],
  ['JSON', 'json', '{"name": "notes", "ports": [3000, 3001], "tls": null}'],
  [
    'a diff',
    'diff',
    'diff --git a/x.txt b/x.txt\nindex 83db48f..bf2a1c3 100644\n--- a/x.txt\n+++ b/x.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n',
  ],
  [
    'YAML',
    'yaml',
    'services:\n  web:\n    image: nginx:1.27\n    ports:\n      - "8080:80"\n    environment:\n      MODE: production\n',
  ],
  [
    'SQL',
    'sql',
    "SELECT u.name, count(*) AS orders\nFROM users u\nLEFT JOIN orders o ON o.user_id = u.id\nWHERE u.created_at > now() - interval '7 days'\nGROUP BY u.name\nORDER BY orders DESC;\n",
  ],
  [
    'a shell script',
    'bash',
    '#!/usr/bin/env bash\nset -euo pipefail\nfor file in *.log; do\n  gzip "$file"\ndone\necho finished\n',
  ],
  [
    'commands of a shell',
    'bash',
    'docker compose pull\ndocker compose up -d --remove-orphans\ncurl -fsS http://127.0.0.1:8080/healthz | jq .status\n',
  ],
  [
    'CSS',
    'css',
    '.card {\n  display: grid;\n  gap: 8px;\n}\n\n@media (max-width: 600px) {\n  .card { grid-template-columns: 1fr; }\n}\n',
  ],
  [
    'HTML',
    'xml',
    '<!doctype html>\n<html lang="en">\n<body>\n  <main class="page">\n    <h1>Hello</h1>\n  </main>\n</body>\n</html>\n',
  ],
  [
    'Go',
    'go',
    'package main\n\nimport "fmt"\n\nfunc main() {\n\tnames := []string{"a", "b"}\n\tfor _, name := range names {\n\t\tfmt.Println(name)\n\t}\n}\n',
  ],
  [
    'Rust',
    'rust',
    'use std::collections::HashMap;\n\nfn main() {\n    let mut counts: HashMap<&str, u32> = HashMap::new();\n    *counts.entry("a").or_insert(0) += 1;\n    println!("{counts:?}");\n}\n',
  ],
  [
    'Java',
    'java',
    'package com.example;\n\npublic class Hello {\n    public static void main(String[] args) {\n        System.out.println("Hello");\n    }\n}\n',
  ],
  ['C', 'cpp', '#include <stdio.h>\n\nint main(void) {\n    int n = 3;\n    printf("%d\\n", n);\n    return 0;\n}\n'],
  [
    'Ruby',
    'ruby',
    'require \'json\'\n\nclass Greeter\n  attr_reader :name\n\n  def greet\n    puts "Hello #{name}"\n  end\nend\n',
  ],
  ['PHP', 'php', "<?php\n$names = ['a', 'b'];\nforeach ($names as $name) {\n    echo \"Hello $name\";\n}\n"],
  [
    'a Dockerfile',
    'dockerfile',
    'FROM node:20 AS build\nWORKDIR /app\nCOPY package.json .\nRUN npm ci\nCMD ["node", "main.js"]\n',
  ],
  [
    'a Makefile',
    'makefile',
    '.PHONY: all\n\nall: build test\n\nbuild:\n\tgo build ./...\n\ntest: build\n\tgo test ./...\n',
  ],
  [
    'nginx',
    'nginx',
    'server {\n    listen 80;\n    server_name example.com;\n    location / {\n        proxy_pass http://127.0.0.1:3000;\n    }\n}\n',
  ],
  [
    'the configuration of ssh',
    'plaintext',
    'Host town\n    HostName 192.0.2.7\n    User ann\n    Port 2222\n    IdentityFile ~/.ssh/town\n\nHost *\n    ServerAliveInterval 60\n',
  ],
  ['an ini file', 'ini', '[Unit]\nDescription=Notes\n\n[Service]\nExecStart=/usr/bin/notes serve\nRestart=always\n'],
  [
    'Kotlin',
    'kotlin',
    'data class User(val name: String, val age: Int)\n\nfun main() {\n    val users = listOf(User("Ann", 3))\n    println(users.first().name)\n}\n',
  ],
  [
    'Swift',
    'swift',
    'import SwiftUI\n\nstruct ContentView: View {\n    @State private var count = 0\n    var body: some View {\n        Text("\\(count)")\n    }\n}\n',
  ],
  ['Lua', 'lua', 'local function greet(name)\n  print("Hello " .. name)\nend\n\ngreet("Ann")\n'],
  [
    'C#',
    'csharp',
    'using System;\n\nnamespace Demo;\n\npublic class Program\n{\n    public static void Main(string[] args)\n    {\n        Console.WriteLine("Hello");\n    }\n}\n',
  ],
];

const prose: readonly Sample[] = [
  ['a sentence', undefined, 'Remember to call the plumber on Monday.'],
  ['a sentence below front matter', undefined, '---\ntitle: Tea\ntags: [a]\ndraft: true\n---\nGreen.\n'],
  [
    'a paragraph',
    undefined,
    'The service keeps notes on disk. Each write is synced before it is acknowledged, which costs a millisecond.\n\nThat is cheap.',
  ],
  ['a list', undefined, '- milk\n- bread\n- two apples\n'],
  ['tasks', undefined, '- [ ] write the report\n- [x] send the invoice\n- [ ] return the books\n'],
  ['a numbered list', undefined, '1. Open the door\n2. Let the cat in\n3. Close the door\n'],
  ['headings', undefined, '# Meeting\n\n## Decisions\n\nWe ship on Friday.\n\n## Open\n\nWho writes the notes?\n'],
  [
    'a prompt',
    undefined,
    'You are a careful reviewer. Read the text below and list every claim that has no source.\n\nText: {{text}}\n',
  ],
  [
    'a prompt with tags',
    undefined,
    '<instructions>\nTranslate the text into {{target language}}.\nKeep names as they are.\n</instructions>\n<text>\n{{text}}\n</text>\n',
  ],
  ['a poem', undefined, 'The rain has stopped,\nthe street is bright,\na cat walks home\nin evening light.\n'],
  [
    'a chat',
    undefined,
    'You: How do I undo the last commit?\n\nChatGPT: Run git reset --soft HEAD~1, which keeps your changes staged.\n\nYou: Thanks!\n',
  ],
  ['a quotation', undefined, '> Simple things should be simple,\n> complex things should be possible.\n\nAlan Kay\n'],
  ['a table', undefined, '| name | age |\n|------|-----|\n| Ann  | 31  |\n| Bob  | 27  |\n'],
  ['links', undefined, 'https://example.com/a\nhttps://example.com/b?x=1&y=2\n'],
  ['an address', undefined, 'Ann Example\n12 Long Street\n1010 Vienna\nAustria\n'],
  [
    'German',
    undefined,
    'Morgen früh die Blumen gießen; danach zum Arzt gehen, und nicht vergessen, die Rechnung (Nr. 12) zu bezahlen.\n',
  ],
  ['Chinese', undefined, '今天下午三点开会。请准备好报告。\n'],
  ['a recipe', undefined, 'Pancakes\n\n250 g flour\n2 eggs\n500 ml milk\n\nMix, wait for ten minutes, bake.\n'],
  [
    'a letter',
    undefined,
    'Dear Ann,\n\nthank you for the book; I have read half of it (in one night).\n\nYours,\nBob\n',
  ],
  ['a diary with times', undefined, '08:00 run\n09:30 breakfast with Ann\n14:00 dentist\n'],
  ['a password hint', undefined, 'user: ann\nthe usual password, with the year at the end\n'],
];

/** Texts with placeholders: their braces do not make them code. */
const prompts: readonly Sample[] = [
  [
    'a prompt that ends with a placeholder',
    undefined,
    'You are a senior {{language}} engineer. Review the code below. Be terse. List at most {{count}} problems, worst first.\n\n{{code}}',
  ],
  [
    'a prompt of short sentences on lines of their own',
    undefined,
    'You are a senior {{language}} engineer.\nBe terse.\nList at most {{count}} problems, worst first.\n\n{{code}}',
  ],
  [
    'a prompt whose last line has a placeholder',
    undefined,
    'You are a senior {{language}} engineer.\nBe terse. At most {{count}} problems.\nHere is it: {{code}}',
  ],
  ['a prompt of placeholders alone', undefined, '{{role}}\n{{task}}\n{{context}}'],
  [
    'a prompt of labels',
    undefined,
    'Role: {{role}}\nTask: {{task}}\nTone: {{tone=friendly|formal}}\nLength: {{words=200}} words\n',
  ],
  [
    'a prompt of tags and placeholders',
    undefined,
    '<context>\n{{context}}\n</context>\n\n<question>{{question}}</question>\n\nAnswer in {{language}}.',
  ],
  ['a prompt of an instruction and a text', undefined, 'Summarize:\n\n{{text}}'],
  ['a prompt with a misspelled default', undefined, 'Review it for {{focus:correctness}}.\n{{code}}\n{{tests:none}}'],
  [
    'a prompt with a list of rules',
    undefined,
    'Act as a {{role}}.\n\n- Be brief.\n- Cite {{count}} sources.\n- Write in {{language}}.\n\n{{text}}',
  ],
  [
    'a prompt that asks for a query',
    undefined,
    'Write a SQL query that returns {{columns}} from {{table}}.\nOutput only SQL.\n\nSchema:\n{{schema}}',
  ],
  ['commands with placeholders', 'bash', 'cd {{folder}}\ngit checkout {{branch}}\ndocker run --rm {{image}}\n'],
  [
    'YAML with placeholders',
    'yaml',
    'services:\n  web:\n    image: {{image}}\n    ports:\n      - "{{port}}:80"\n    restart: always\n',
  ],
];

const between: readonly Sample[] = [
  ['nothing', undefined, ''],
  ['blank lines', undefined, '\n \n\t\n'],
  ['one command', undefined, 'git status'],
  ['one assignment', undefined, 'x = 1'],
  ['a list of pairs', undefined, 'Name: Ann Example\nPhone: 555 0100\nCity: Vienna\n'],
  ['prose with fenced code', undefined, 'Run this:\n\n```sh\nnpm ci\nnpm test\n```\n'],
  ['fenced code alone', undefined, '```python\ndef f():\n    return 1\n```\n'],
  [
    'prose about code',
    undefined,
    'The function `parse(text)` returns a value; it throws if the text is empty.\nCall `format(value)` to go back.\n',
  ],
  [
    'prose between commands',
    undefined,
    'First update the system, then reboot it:\n\nsudo apt update\nsudo apt upgrade\n\nAfter that you should see the new kernel when you log in.\n',
  ],
  ['numbers', undefined, '1\n2\n3\n'],
  ['a formula', undefined, 'a = b + c\nwhere b is the base and c is the correction that we measured last week\n'],
  ['JSON within prose', undefined, 'The answer is {"a": 1} and nothing else.'],
  ['empty brackets', undefined, '{}'],
  ['a smiley list', undefined, ':)\n;)\n:-(\n'],
  ['a list of files', undefined, 'notes.txt\nreport.pdf\nsrc/main.ts\n'],
  ['words with colons', undefined, 'todo:\n- call Ann\n- write to Bob about the trip\n'],
  [
    'a stack trace with advice',
    undefined,
    'This happens when the port is taken:\n\nError: listen EADDRINUSE: address already in use 127.0.0.1:3000\n\nStop the other process, or choose another port with --port.\n',
  ],
  [
    'a command with comments as sentences',
    'bash',
    '# Show which process listens on a port, and end it afterwards.\nlsof -i :3000\nsudo kill -9 $(lsof -t -i :3000)\nexport PORT=3001\n',
  ],
  [
    'Python with a long docstring',
    'python',
    'def area(radius):\n    """Returns the area of a circle with this radius."""\n    from math import pi\n    return pi * radius ** 2\n',
  ],
  [
    'a query in lower case',
    'sql',
    'select id, title from notes\nwhere archived = false\norder by id desc\nlimit 20;\n',
  ],
  [
    'a traceback',
    undefined,
    'Traceback (most recent call last):\n  File "x.py", line 1, in <module>\nZeroDivisionError: division by zero\n',
  ],
  ['environment variables', undefined, 'PORT and HOST are the two settings that you need in most cases.\nPORT=3000\n'],
];

test.each([...code, ...prose, ...prompts, ...between])('%s is shown as %p', (_name, language, text) => {
  expect(detectCodeLanguage(text)).toBe(language);
});

test('long lines of words and brackets are text', () => {
  const line = `${'word '.repeat(20_000)}{`;

  expect(detectCodeLanguage(`${line}\n${line}`)).toBeUndefined();
});
