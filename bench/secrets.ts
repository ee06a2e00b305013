/**
 * Prints how many of 100 lines with secrets are found, and how many of 100 harmless ones are flagged, for five draws of
 * the values, and which ones: `npx bun bench/secrets.ts`.
 */
import { findSecretKinds } from '../src/core/secrets.ts';
import { createHarmlessLines, createSecretLines } from '../test/support/data/secret-lines.ts';
import { createSeededRandom } from '../test/support/random.ts';

for (const seed of [1, 2, 3, 4, 5]) {
  const secrets = createSecretLines(createSeededRandom(seed));
  const missed = secrets.filter(({ text }) => findSecretKinds(text).length === 0);
  const flagged = createHarmlessLines(createSeededRandom(seed)).filter((text) => findSecretKinds(text).length > 0);
  console.log(
    `draw ${seed}: ${secrets.length - missed.length} of ${secrets.length} found, ${flagged.length} false alarms`,
  );
  for (const { kind, text } of missed) console.log(`  missed, ${kind}: ${text}`);
  for (const text of flagged) console.log(`  false alarm: ${text}`);
}
