/** A relay to a service that counts the bytes of the bodies that it sends back. */
export function startCountingRelay(target: string) {
  let bytes = 0;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = method === 'GET' ? null : await request.arrayBuffer();
      const response = await fetch(target + pathname + search, { method, headers, body, decompress: false });
      const sent = await response.arrayBuffer();
      bytes += sent.byteLength;
      return new Response(sent, response);
    },
  });
  return {
    url: server.url.origin,
    get bytes() {
      return bytes;
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
