import { expect, test } from 'bun:test';
import { signature } from './manager.ts';
import { systemd } from './systemd.ts';

test('words and variables are escaped in a unit file', () => {
  const words = ['/bin/echo', 'a b', '"quoted"', '100%h', '$HOME', 'back\\slash'];

  const text = systemd.textOf({ words, variables: { XDG_DATA_HOME: '/a "b" %n' }, home: '' });

  expect(text).toContain('ExecStart="/bin/echo" "a b" "\\"quoted\\"" "100%%h" "$$HOME" "back\\\\slash"\n');
  expect(text).toContain('Environment="XDG_DATA_HOME=/a \\"b\\" %%n"\n');
  expect(text).toStartWith(`# ${signature}\n`);
});

test.each([
  [{ HOME: '/home/ada' }, '/home/ada/.config'],
  [{ HOME: '/home/ada', XDG_CONFIG_HOME: '/etc/ada' }, '/etc/ada'],
  [{ HOME: '/home/ada', XDG_CONFIG_HOME: 'relative' }, '/home/ada/.config'],
])('with %p, the file is below %s', (env, folder) => {
  expect(systemd.fileIn(env)).toBe(`${folder}/systemd/user/notes.service`);
});
