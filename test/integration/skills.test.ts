/** `notes export --skills`: prompts as Claude Code skills. */
import { expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { program, run, temporaryFolder, unprivileged } from '../support/service.ts';

function useNotes() {
  const folder = temporaryFolder();
  const env = { DATABASE_URL: `sqlite:${join(folder.path, 'notes.db')}` };
  const skills = join(folder.path, 'skills');
  return {
    env,
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

/** The front matter and the text after it. */
function partsOf(file: string) {
  const [, front = '', text] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(file) ?? [];
  return { front: parse(front), text };
}

test('writes active prompts, with names and descriptions that every loader accepts', async () => {
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

test('replaces only its own files, and reports the others', async () => {
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

test('skips what it cannot read, and writes and removes the others', async () => {
  using notes = useNotes();
  for (const title of ['One', 'Two', 'Three']) await notes.add(title, 'text');
  await notes.export();
  await notes.archive('3');
  const [own = '', foreign = ''] = ['two-2', 'foreign'].map((name) => join(notes.skills, name));
  mkdirSync(foreign);
  for (const folder of [own, foreign]) {
    writeFileSync(join(folder, 'SKILL.md'), 'mine');
    chmodSync(join(folder, 'SKILL.md'), 0);
  }

  const { exitCode, stderr } = Bun.spawnSync([...unprivileged, ...program, 'export', '--skills', notes.skills], {
    env: { ...process.env, ...notes.env },
  });

  expect([exitCode, stderr.toString().split('\n')]).toEqual([
    1,
    [
      `Skills written to ${notes.skills}: 1`,
      'Removed, as their notes were archived, renamed or left out: 1',
      `Left as it is: ${own} cannot be read`,
      `Left as it is: ${foreign} cannot be read`,
      '',
    ],
  ]);
  expect(readdirSync(notes.skills).sort()).toEqual(['foreign', 'one-1', 'two-2']);
  for (const folder of [own, foreign]) chmodSync(join(folder, 'SKILL.md'), 0o600);
  expect([notes.read('two-2'), notes.read('foreign')]).toEqual(['mine', 'mine']);
}, 60_000);

test('removes its files of notes that were archived or renamed since, unless edited there', async () => {
  using notes = useNotes();
  for (const title of ['Kept', 'Archived', 'Edited and archived', 'Old name', 'Changed there', 'With a file beside'])
    await notes.add(title, 'text');
  await notes.add('Of another kind', 'text', 'css');
  await notes.export();
  await notes.export('-c', 'css');
  const changed = join(notes.skills, 'changed-there-5');
  writeFileSync(join(changed, 'SKILL.md'), `${notes.read('changed-there-5')} and mine`);
  writeFileSync(join(notes.skills, 'with-a-file-beside-6', 'mine.txt'), 'mine');
  mkdirSync(join(notes.skills, 'of-others-2'));
  writeFileSync(join(notes.skills, 'of-others-2', 'SKILL.md'), notes.read('archived-2'));
  await notes.edit('3', '-m', 'edited');
  for (const id of ['2', '3', '5', '6']) await notes.archive(id);
  await notes.edit('4', '-t', 'New name');

  const { code, stderr } = await notes.export();

  expect(readdirSync(notes.skills).sort()).toEqual([
    'changed-there-5',
    'kept-1',
    'new-name-4',
    'of-another-kind-7',
    'of-others-2',
    'with-a-file-beside-6',
  ]);
  expect(readdirSync(join(notes.skills, 'with-a-file-beside-6'))).toEqual(['mine.txt']);
  expect([code, stderr.split('\n')]).toEqual([
    0,
    [
      `Skills written to ${notes.skills}: 2`,
      'Removed, as their notes were archived, renamed or left out: 4',
      `Left as it is: ${changed} was changed after it was written`,
      `Left as it is: ${join(notes.skills, 'of-others-2')} was changed after it was written`,
      '',
    ],
  ]);
}, 60_000);

test('removes no skills of notes in another database', async () => {
  using notes = useNotes();
  using others = useNotes();
  await notes.add('Theirs', 'text');
  await others.add('Ours', 'text');
  await notes.export();
  await others.archive('1');

  const { stderr } = await run(['export', '--skills', notes.skills], others.env);

  expect(readdirSync(notes.skills)).toEqual(['theirs-1']);
  expect(stderr).not.toContain('Removed');
}, 60_000);

test('writes another category on request, and leaves out what is too long', async () => {
  using notes = useNotes();
  await notes.add('Focus', 'outline', 'css');
  await notes.add('Long', 'x'.repeat(100_001), 'css');

  const { code, stderr } = await notes.export('--category', 'css');

  expect([code, readdirSync(notes.skills)]).toEqual([0, ['focus-1']]);
  expect(stderr).toContain('Left out 1: too long, or too many\n');
});

test('is refused without a folder', async () => {
  const { code, stderr } = await run(['export', '--skills']);

  expect([code, stderr]).toEqual([2, 'notes: Give a folder, such as ~/.claude/skills\n']);
});
