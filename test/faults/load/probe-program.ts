/** Requests a URL repeatedly until its input ends, then prints the response times in ms as JSON. */
import { probe } from './latency.ts';

const [, , url = ''] = process.argv;
let isOver = false;
void Bun.stdin.text().then(() => {
  isOver = true;
});
const ask = async () => (await fetch(url)).text();
console.log(JSON.stringify(await probe({ ask, isOver: () => isOver, pauseMs: 2 })));
