import { join } from 'node:path';
import { type Manager, signature } from './manager.ts';

const label = 'local.notes';

const string = (text: string) => `<string>${Bun.escapeHTML(text)}</string>`;

/** launchd agents of the user with this id. */
export const launchd = (user: number): Manager => ({
  name: 'launchd',
  fileIn: (env) => join(env['HOME'] ?? '', 'Library', 'LaunchAgents', `${label}.plist`),

  textOf: ({ words, variables, home }) => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${signature} -->
<plist version="1.0">
<dict>
  <key>Label</key>${string(label)}
  <key>ProgramArguments</key>
  <array>${words.map(string).join('')}</array>
  <key>EnvironmentVariables</key>
  <dict>${Object.entries(variables)
    .map(([name, value]) => `<key>${name}</key>${string(value)}`)
    .join('')}</dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>Umask</key><integer>63</integer>
  <key>StandardOutPath</key>${string(join(home, 'Library', 'Logs', 'notes.log'))}
  <key>StandardErrorPath</key>${string(join(home, 'Library', 'Logs', 'notes.log'))}
</dict>
</plist>
`,

  probe: ['launchctl', 'print', `gui/${user}`],
  start: (file) => [['launchctl', 'bootstrap', `gui/${user}`, file]],
  stop: [['launchctl', 'bootout', `gui/${user}/${label}`]],
  afterRemoval: [],
  isRunning: ['launchctl', 'print', `gui/${user}/${label}`],
  hints: 'Its log: ~/Library/Logs/notes.log',
});
