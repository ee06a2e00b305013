/** Sources of the addresses; a flag wins. */
export const routeSettings = {
  from: { flag: '--from <url>', variable: 'MIGRATE_FROM', help: 'the store that holds the notes' },
  to: { flag: '--to <url>', variable: 'MIGRATE_TO', help: 'the store to move them to: empty, or with some of them' },
} as const;
