/** `notes export --skills`: prompts as files of Claude Code. */
import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { run, temporaryFolder } from '../support/service.ts';

function useNotes() {
  const folder = temporaryFolder();
  const env = { DATABASE_URL: `sqlite:${join(folder.path, 'notes.db')}` };
  const skills = join(folder.path, 'skills');
  return {
    skills,
    add: (title: string, content: string, category = 'prompts') =>
      run(['add', title, '-c', category, '-f', '-'], env, content),
    edit: (...flags: string[]) => run(['edit', ...flags], env),
    archive: (id: string) => run(['archive', id], env),
    export: (...flags: string[]) => run(['export', '--skills', ...flags, skills], env),
    read: (name: string) => readFileSync(join(skills, name, 'SKILL.md'), 'utf8'),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** The front matter and the text behind it. */
function partsOf(file: string) {
  const [, front = '', text] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(file) ?? [];
  return { front: parse(front), text };
}

test('writes active prompts, with names and descriptions that any loader takes', async () => {
  using notes = useNotes();
  await notes.add('../Überprüfe: "this" <b> # code', 'Review:\n---\nthis {{language=Go}} code\n');
  await notes.add('An archived one', 'text');
  await notes.archive('2');
  await notes.add('Not a prompt', 'text', 'css');

  const { code, stderr } = await notes.export();

  expect([code, stderr]).toEqual([0, `Skills written to ${notes.skills}: 1\n`]);
  expect(readdirSync(notes.skills)).toEqual(['uberprufe-this-b-code-1']);
  expect(partsOf(notes.read('uberprufe-this-b-code-1'))).toEqual({
    front: {
      name: 'uberprufe-this-b-code-1',
      description: '../Überprüfe: "this" b # code: Review: --- this {{language=Go}} code',
      metadata: { 'notes-id': '1' },
    },
    text: expect.stringMatching(/^Put what the request says .*\n\nReview:\n---\nthis \{\{language=Go\}\} code\n$/),
  });
});

test('replaces its own files alone, and tells of the others', async () => {
  using notes = useNotes();
  for (const title of ['One', 'Two', 'Three']) await notes.add(title, 'first');
  mkdirSync(join(notes.skills, 'two-2'), { recursive: true });
  writeFileSync(join(notes.skills, 'two-2', 'SKILL.md'), 'mine');
  symlinkSync(join(notes.skills, 'elsewhere'), join(notes.skills, 'three-3'));
  await notes.export();
  await notes.edit('1', '-m', 'second');

  const { code, stderr } = await notes.export();

  expect(code).toBe(1);
  expect(stderr).toContain(`Left as it is: ${join(notes.skills, 'two-2')} belongs to another program\n`);
  expect(stderr).toContain(`Left as it is: ${join(notes.skills, 'three-3')} `);
  expect(partsOf(notes.read('one-1')).text).toBe('second');
  expect(notes.read('two-2')).toBe('mine');
  expect(existsSync(join(notes.skills, 'elsewhere'))).toBe(false);
});

test('writes another category when it is told, and leaves out what is too long', async () => {
  using notes = useNotes();
  await notes.add('Focus', 'outline', 'css');
  await notes.add('Long', 'x'.repeat(100_001), 'css');

  const { code, stderr } = await notes.export('--category', 'css');

  expect([code, readdirSync(notes.skills)]).toEqual([0, ['focus-1']]);
  expect(stderr).toContain('Left out 1: too long, or too many\n');
});

test('is refused without a folder', async () => {
  const { code, stderr } = await run(['export', '--skills']);

  expect([code, stderr]).toEqual([2, 'notes: Name a folder, as ~/.claude/skills\n']);
});
