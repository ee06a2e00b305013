/**
 * Sends the calls on a tape at a fixed rate, whether or not the earlier ones are answered: an open loop. A process of
 * its own; its argument is a `Pace` as JSON. Prints a line when it has begun; SIGTERM ends it, and it prints the
 * result.
 */
import * as z from 'zod/mini';
import { send } from './answers.ts';
import { readTape } from './load.ts';

const Pace = z.object({ url: z.url(), tape: z.string(), perSecond: z.number() });

const { url, tape, perSecond } = Pace.parse(JSON.parse(process.argv[2] ?? ''));
const calls = await readTape(tape);
const underWay = new Set<Promise<void>>();
let [sent, failed] = [0, 0];

const began = performance.now();
const clock = setInterval(() => {
  const due = Math.floor(((performance.now() - began) * perSecond) / 1000);
  while (sent < due) sendNext();
}, 1);
console.log('begun');
process.once('SIGTERM', async () => {
  clearInterval(clock);
  const seconds = (performance.now() - began) / 1000;
  await Promise.all(underWay);
  console.log(JSON.stringify({ sent, failed, seconds }));
  process.exit(0); // connections that are kept alive would hold it
});

function sendNext(): void {
  const call = calls[sent++ % calls.length];
  if (call === undefined) throw new Error(`There are no calls on ${tape}`);
  const answer = send(url, call)
    .then((response) => response.bytes())
    .then(
      () => {},
      () => void failed++,
    )
    .finally(() => underWay.delete(answer));
  underWay.add(answer);
}
