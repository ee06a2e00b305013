export type Fetch = (request: Request) => Response | Promise<Response>;

const quietMs = 100;
const farewellMs = 1_000;

/**
 * Ends connections kindly: from `say` on, each answer is the last one of its connection. The runtime closes idle
 * connections when it stops, also those on which a request is on its way.
 */
export class Farewell {
  readonly #fetch: Fetch;
  #answers = 0;
  #said = false;

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  answer(request: Request): Response | Promise<Response> {
    return this.#said ? this.#answerLast(request) : this.#fetch(request);
  }

  /** Resolves once nobody has asked for a while, or it has taken long enough. */
  async say(): Promise<void> {
    this.#said = true;
    const end = performance.now() + farewellMs;
    for (let before = -1; before !== this.#answers && performance.now() < end; ) {
      before = this.#answers;
      await Bun.sleep(quietMs);
    }
  }

  async #answerLast(request: Request): Promise<Response> {
    this.#answers++;
    const response = await this.#fetch(request);
    response.headers.set('Connection', 'close');
    return response;
  }
}
