/**
 * The baseline of the service: the same runtime sends the same bytes and does nothing else. A separate process; its
 * argument is a file of `Answers`.
 */
import { Answers } from './answers.ts';

const answers = Answers.parse(await Bun.file(process.argv[2] ?? '').json());
const ready = new Map(
  Object.entries(answers).map(([method, { status, headers, body }]) => [
    method,
    { bytes: Buffer.from(body), init: { status, headers: new Headers(headers) } }, // the fastest form for Bun.serve
  ]),
);

function respond(method: string): Response {
  const answer = ready.get(method);
  return answer ? new Response(answer.bytes, answer.init) : new Response(null, { status: 405 });
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  development: false,
  fetch(request) {
    if (request.method === 'POST' || request.method === 'PUT')
      return request.bytes().then(() => respond(request.method));
    return respond(request.method);
  },
});
console.log(JSON.stringify({ url: server.url.href }));
