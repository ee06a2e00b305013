import { expect, test } from 'bun:test';
import { launchd } from './launchd.ts';

test('the agent starts the program at login, and again when it fails', () => {
  const variables = { XDG_DATA_HOME: '/a <b>' };

  const text = launchd(501).textOf({ words: ['/a & b/notes', 'serve'], variables, home: '/Users/ada' });

  expect(text).toContain('<array><string>/a &amp; b/notes</string><string>serve</string></array>');
  expect(text).toContain('<dict><key>XDG_DATA_HOME</key><string>/a &lt;b&gt;</string></dict>');
  expect(text).toContain('<key>RunAtLoad</key><true/>');
  expect(text).toContain('<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>');
  expect(text).toContain('<string>/Users/ada/Library/Logs/notes.log</string>');
});

test('commands concern the agents of one user', () => {
  const manager = launchd(501);

  expect(manager.start('/a.plist')).toEqual([['launchctl', 'bootstrap', 'gui/501', '/a.plist']]);
  expect(manager.stop).toEqual([['launchctl', 'bootout', 'gui/501/local.notes']]);
});
