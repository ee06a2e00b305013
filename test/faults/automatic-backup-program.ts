/** A service that starts when its input ends, and makes an automatic backup at once. */
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/server/log.ts';
import { serve } from '../../src/server/serve.ts';

await Bun.stdin.text();
const schedule = { firstMs: 0, everyMs: 60_000 };
await serve(readConfig(process.env), await createLog('info', false), Promise.withResolvers(), schedule);
