import { isAbsolute, join } from 'node:path';
import { type Manager, signature } from './manager.ts';

const unit = 'notes.service';
const systemctl = (...words: string[]) => ['systemctl', '--user', ...words];

/** Quotes a word: https://www.freedesktop.org/software/systemd/man/latest/systemd.service.html#Command%20lines */
const quoted = (word: string) => `"${word.replaceAll(/[\\"]/g, '\\$&').replaceAll('%', '%%')}"`;

export const systemd: Manager = {
  name: 'systemd',

  fileIn(env) {
    const given = env['XDG_CONFIG_HOME'] ?? '';
    return join(isAbsolute(given) ? given : join(env['HOME'] ?? '', '.config'), 'systemd', 'user', unit);
  },

  textOf: ({ words, variables }) => `# ${signature}
[Unit]
Description=Notes

[Service]
Type=exec
ExecStart=${words.map((word) => quoted(word).replaceAll('$', '$$$$')).join(' ')}
${Object.entries(variables)
  .map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}\n`)
  .join('')}Restart=on-failure
RestartSec=2
TimeoutStopSec=20
LimitCORE=0
NoNewPrivileges=yes
UMask=0077

[Install]
WantedBy=default.target
`,

  probe: systemctl('daemon-reload'),
  start: () => [systemctl('daemon-reload'), systemctl('enable', '--now', unit)],
  stop: [systemctl('disable', '--now', unit)],
  afterRemoval: [systemctl('daemon-reload')],
  isRunning: systemctl('is-active', unit),
  hints: 'Its log: journalctl --user -u notes. It ends when you log out, unless you run: loginctl enable-linger',
};
