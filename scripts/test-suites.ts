/** Which test files `npm test` runs, and which are left to `npm run test:all`. */

/** Walks the main flows of the page; the other files of `test/page` look at its parts. */
const usualPageTests = ['test/page/main-flows.test.ts'];

/** Take long, or show parts that few changes touch. */
const otherTests = [
  ...['model', 'migrate', 'lists', 'search-recall'].map((name) => `test/integration/${name}.test.ts`),
];

/** Usual tests whose random rounds are few; all rounds belong to the other tests. */
export const scaledTests = ['merge-model', 'round-trip'].map((name) => `test/integration/${name}.test.ts`);

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
