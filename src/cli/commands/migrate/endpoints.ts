/** Sources of the addresses; a flag wins. */
export const routeSettings = {
  from: {
    flag: '--from <store>',
    variable: 'MIGRATE_FROM',
    help: 'the store that holds the notes: a file, or any value of DATABASE_URL',
  },
  to: { flag: '--to <store>', variable: 'MIGRATE_TO', help: 'the store to move them to: empty, or with some of them' },
} as const;
