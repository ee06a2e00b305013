/** The outcome of a check or of suites. */
export interface Outcome {
  readonly passed: number;
  readonly skipped: number;
  /** The names of failures. */
  readonly failures: readonly string[];
}

/** The outcome of `suites` by their JUnit report, empty if there is none. Fails a run that broke off, or ran no test. */
export function outcomeOf(suites: string, report: string, exitCode: number): Outcome {
  const outcome = read(report);
  const isWhole = outcome.passed > 0 && (exitCode === 0 || outcome.failures.length > 0);
  return isWhole
    ? outcome
    : { ...outcome, failures: [...outcome.failures, `${suites}: ended with ${exitCode}, see above`] };
}

function read(report: string): Outcome {
  const head = /<testsuites [^>]*>/.exec(report)?.[0] ?? '';
  const sum = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
  const failed = report.matchAll(
    /<testcase name="([^"]*)" classname="([^"]*)"[^>]* file="([^"]*)"[^>]*[^/]>\s*<failure/g,
  );
  return {
    passed: sum('tests') - sum('failures') - sum('skipped'),
    skipped: sum('skipped'),
    failures: [...failed].map(([, test, suite, file]) => `${file}: ${suite && `${suite} > `}${test}`),
  };
}
