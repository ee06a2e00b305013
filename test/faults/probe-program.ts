/** Asks a URL over and over until its input ends, and then prints how long each answer took, in ms, as JSON. */
import { probe } from './latency.ts';

const [, , url = ''] = process.argv;
let isOver = false;
void Bun.stdin.text().then(() => {
  isOver = true;
});
const ask = async () => (await fetch(url)).text();
console.log(JSON.stringify(await probe({ ask, isOver: () => isOver, pauseMs: 2 })));
