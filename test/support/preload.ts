/** Runs before every test file (see bunfig.toml): sets and prints the seed of random properties. */
import fc from 'fast-check';
import { seed } from './random.ts';

fc.configureGlobal({ seed });
if (process.env['TEST_SEED'] === undefined) console.log(`TEST_SEED=${seed}`);
