/** Prints how long rendering takes, for the sizes that `docs/decisions/13-libraries.md` compares. */
import { renderMarkdown } from '../../src/page/markdown/render-markdown.ts';

const kibibyte = 1024;
const document = await Bun.file(new URL('../../CONTRIBUTING.md', import.meta.url)).text();

/** The median in ms of `rounds` calls. */
function formatMedianMs(rounds: number, run: () => unknown): string {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    run();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return `${times[Math.floor(rounds / 2)]?.toFixed(1)} ms`;
}

for (const [size, rounds] of [
  [1, 200],
  [100, 9],
  [1024, 3],
] as const) {
  const length = size * kibibyte;
  const text = document.repeat(Math.ceil(length / document.length)).slice(0, length);
  console.log(`Markdown of ${size} KiB: ${formatMedianMs(rounds, () => renderMarkdown(text))}`);
}
