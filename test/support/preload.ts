/** Comes before every test file, as bunfig.toml says: random properties grow from the seed of the run, which is printed. */
import fc from 'fast-check';
import { seed } from './random.ts';

fc.configureGlobal({ seed });
if (process.env['TEST_SEED'] === undefined) console.log(`TEST_SEED=${seed}`);
