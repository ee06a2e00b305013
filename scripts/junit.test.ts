import { expect, test } from 'bun:test';
import { outcomeOf } from './junit.ts';

/** As the runner writes it. */
const failing = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="bun test" tests="7" assertions="1" failures="3" skipped="2" time="0.05">
  <testsuite name="a.test.ts" file="a.test.ts" tests="5" assertions="1" failures="2" skipped="2" time="0" hostname="vm">
    <testcase name="on top" classname="" time="0.000449" file="a.test.ts" line="2" assertions="1">
      <failure type="AssertionError" message="Expected: 2">AssertionError: Expected: 2&#10;</failure>
    </testcase>
    <testsuite name="outer" file="a.test.ts" line="3" tests="4" assertions="0" failures="1" skipped="2" time="0">
      <testcase name="passes" classname="outer" time="0.000003" file="a.test.ts" line="3" assertions="0" />
      <testcase name="inside" classname="outer" time="0.000057" file="a.test.ts" line="3" assertions="0">
        <failure type="Error" message="&lt;failure">Error: &lt;failure&#10;</failure>
      </testcase>
      <testcase name="left out" classname="outer" time="0" file="a.test.ts" line="3" assertions="0">
        <skipped />
      </testcase>
      <testcase name="later" classname="outer" time="0" file="a.test.ts" line="3" assertions="0">
        <skipped />
      </testcase>
    </testsuite>
  </testsuite>
  <testsuite name="d.test.ts" file="d.test.ts" tests="2" assertions="0" failures="1" skipped="0" time="0.05">
    <testcase name="fine" classname="" time="0.000004" file="d.test.ts" line="2" assertions="0" />
    <testcase name="slow" classname="" time="0.050171" file="d.test.ts" line="4" assertions="0">
      <failure type="TimeoutError" message="test timed out" />
    </testcase>
  </testsuite>
</testsuites>
`;
const passing = `<testsuites name="bun test" tests="2" assertions="2" failures="0" skipped="1" time="0.01">
  <testsuite name="b.test.ts" file="b.test.ts" tests="2" assertions="2" failures="0" skipped="1" time="0.01">
    <testcase name="fine" classname="" time="0.000004" file="b.test.ts" line="2" assertions="2" />
    <testcase name="left out" classname="" time="0" file="b.test.ts" line="3" assertions="0">
      <skipped />
    </testcase>
  </testsuite>
</testsuites>
`;
const brokenOff = (exitCode: number) => [`unit: ended with ${exitCode}, see above`];

test('counts what passed and was skipped, and names what failed', () => {
  expect(outcomeOf('unit', passing, 0)).toEqual({ passed: 1, skipped: 1, failures: [] });
  expect(outcomeOf('unit', failing, 1)).toEqual({
    passed: 2,
    skipped: 2,
    failures: ['a.test.ts: on top', 'a.test.ts: outer > inside', 'd.test.ts: slow'],
  });
});

test.each([
  ['a file that could not be loaded, which the report leaves out', passing, 1],
  ['a killed runner', passing, 137],
  ['no report', '', 0],
  ['a report that is cut off in its first tag', passing.slice(0, 40), 0],
  ['no test that ran', passing.replaceAll('tests="2"', 'tests="1"'), 0],
])('fails a run with %s', (_, report, exitCode) => {
  expect(outcomeOf('unit', report, exitCode).failures).toEqual(brokenOff(exitCode));
});

test('names the failures of a report that is cut off later', () => {
  const cut = failing.slice(0, failing.indexOf('<testcase name="passes"'));

  expect(outcomeOf('unit', cut, 1).failures).toEqual(['a.test.ts: on top']);
});
