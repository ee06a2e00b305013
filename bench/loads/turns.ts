/** Measures several subjects in turns, so that temporary slowness of the machine affects all of them. */

/** What one subject did in its rounds. */
export interface Turns<Subject, Result> {
  readonly subject: Subject;
  readonly results: Result[];
}

/** Gives each its round, then each the next one, every second time in the opposite order. */
export async function inTurns<Subject, Result>(
  subjects: readonly Subject[],
  rounds: number,
  measure: (subject: Subject) => Promise<Result>,
): Promise<Turns<Subject, Result>[]> {
  const turns = subjects.map((subject): Turns<Subject, Result> => ({ subject, results: [] }));
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? turns : turns.toReversed();
    for (const { subject, results } of order) results.push(await measure(subject));
  }
  return turns;
}
