/**
 * The side of autocannon: sends the calls on a tape, over and over, and prints the result as one line of JSON.
 * A process of its own; its argument is a `Load` as JSON.
 */
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';

const { url, tape, connections, seconds } = JSON.parse(process.argv[2]);
const calls = readFileSync(tape, 'utf8').split('\n').slice(0, -1).map(parseCall);
let sent = 0;

const result = await autocannon({
  url,
  connections,
  duration: seconds,
  requests: [{ setupRequest: (request) => ({ ...request, ...calls[sent++ % calls.length] }) }],
});
console.log(
  JSON.stringify({
    requests: result.requests.total,
    seconds: result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    refused: result.non2xx,
    socketErrors: result.errors,
  }),
);

function parseCall(line) {
  const [, method, path, body] = /^(\S+) (\S+) (.*)$/.exec(line);
  return body === '' ? { method, path } : { method, path, body, headers: { 'Content-Type': 'application/json' } };
}
