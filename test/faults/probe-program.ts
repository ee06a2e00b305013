/** Asks a URL over and over until its input ends, and then prints how long each answer took, in ms, as JSON. */
const [, , url = ''] = process.argv;
const latencies: number[] = [];
let isOver = false;
void Bun.stdin.text().then(() => {
  isOver = true;
});
while (!isOver) {
  const started = performance.now();
  await (await fetch(url)).text();
  latencies.push(performance.now() - started);
  await Bun.sleep(2);
}
console.log(JSON.stringify(latencies));

export {}; // a module, which may wait
