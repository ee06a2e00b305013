/** Which test files `npm test` runs, and which are left to `npm run test:all`. */

/** Walks the main flows of the page; the other files of `test/page` look at its parts. */
const usualPageTests = ['test/page/main-flows.test.ts'];

/** Take long, or show parts that few changes touch. */
const otherTests = [
  'test/compiled/one-file.test.ts',
  'test/integration/add-a-field.test.ts',
  'test/integration/alerts.test.ts',
  'test/integration/archives.test.ts',
  'test/integration/audit-log.test.ts',
  'test/integration/auto-backup.test.ts',
  'test/integration/backup.test.ts',
  'test/integration/clean-stop.test.ts',
  'test/integration/containers.test.ts',
  'test/integration/disk-space.test.ts',
  'test/integration/docs.test.ts',
  'test/integration/doctor.test.ts',
  'test/integration/ended-sessions.test.ts',
  'test/integration/export-import.test.ts',
  'test/integration/history-commands.test.ts',
  'test/integration/history.test.ts',
  'test/integration/import-bytes.test.ts',
  'test/integration/import-files.test.ts',
  'test/integration/import-origins.test.ts',
  'test/integration/import-recognition.test.ts',
  'test/integration/import-titles.test.ts',
  'test/integration/kubernetes.test.ts',
  'test/integration/labels-command.test.ts',
  'test/integration/labels.test.ts',
  'test/integration/lists.test.ts',
  'test/integration/malformed.test.ts',
  'test/integration/mcp.test.ts',
  'test/integration/merge.test.ts',
  'test/integration/migrate.test.ts',
  'test/integration/model.test.ts',
  'test/integration/origins.test.ts',
  'test/integration/pins.test.ts',
  'test/integration/portable-client.test.ts',
  'test/integration/read-only.test.ts',
  'test/integration/round-trip.test.ts',
  'test/integration/schema.test.ts',
  'test/integration/search-recall.test.ts',
  'test/integration/search.test.ts',
  'test/integration/shared-lists.test.ts',
  'test/terminal/ask.test.ts',
  'test/terminal/editor.test.ts',
  'test/terminal/history.test.ts',
  'test/terminal/progress.test.ts',
  'test/terminal/secrets.test.ts',
  'test/terminal/shells.test.ts',
];

/** Usual tests whose random rounds are few; the other tests have all rounds. */
export const scaledTests = ['test/integration/merge-model.test.ts'];

/** The paths of all test files below the folder of the project. */
export const findTestFiles = (root: string): readonly string[] =>
  [...new Bun.Glob('{src,test}/**/*.test.ts').scanSync(root)].sort();

export const isPageTest = (file: string): boolean => file.startsWith('test/page/');

export const isFaultTest = (file: string): boolean => /^test\/(faults|package)\//.test(file);

/** Whether `npm test` runs a file: all that is not named above, so that a new one is not forgotten. */
export function isUsualTest(file: string): boolean {
  if (isPageTest(file)) return usualPageTests.includes(file);
  return !isFaultTest(file) && !file.startsWith('test/postgres/') && !otherTests.includes(file);
}
