import { NoteError } from '../core/error.ts';
import { encodeQueryString, jsonBodyHeaders, toRequestWithAccessToken } from './service-request.ts';
import {
  createResponseError,
  createUnreachableError,
  getSuccessBody,
  type RequestKind,
  readStatusAndJsonIfAny,
  type ServiceResponse,
} from './service-response.ts';

export interface ClientOptions {
  /** Sends requests; default: the runtime's `fetch`. May throw `NoteError`. */
  readonly send?: (url: string, init: RequestInit) => Promise<Response>;
  /** The access token, if the service requires one. */
  readonly token?: string | undefined;
  /** Timeout of a request, in ms; default 60,000. */
  readonly timeoutMs?: number;
}

/** Sends requests to the service at one address. Paths begin after `/api`. Every failure is a `NoteError`. */
export class ServiceConnection {
  readonly #baseUrl: string;
  readonly #options: ClientOptions;

  constructor(baseUrl: string, options: ClientOptions) {
    this.#baseUrl = baseUrl;
    this.#options = options;
  }

  /** Fetches a result. Throws if the response is no success, or its body is no such result. */
  async fetchResult<Result>(path: string, isResult: (body: unknown) => body is Result): Promise<Result> {
    return getSuccessBody(await this.fetchApi(path, {}), isResult);
  }

  /** Writes by a JSON body, and returns what the service responds. Throws as `fetchResult` does. */
  async sendJson<Result>(
    method: 'POST' | 'PUT',
    path: string,
    body: object,
    isResult: (body: unknown) => body is Result,
    headers: Record<string, string> = {},
  ): Promise<Result> {
    const init = { method, headers: { ...jsonBodyHeaders, ...headers }, body: JSON.stringify(body) };
    return getSuccessBody(await this.fetchApi(path, init), isResult);
  }

  /** Fetches a response of any status, from a path below `/api`. */
  async fetchApi(path: string, init: RequestInit): Promise<ServiceResponse> {
    const { timeoutMs = 60_000 } = this.#options;
    const requestKind = init.method === undefined ? 'read' : 'write';
    return this.awaitReachable(
      this.#send(path, { ...init, signal: AbortSignal.timeout(timeoutMs) }).then((response) =>
        readStatusAndJsonIfAny(response, requestKind),
      ),
      requestKind,
    );
  }

  /** Opens the stream of events after a cursor. Its body is yet to be read. */
  async openEvents(cursor: string | undefined, signal: AbortSignal): Promise<Response> {
    const response = await this.awaitReachable(this.#send(`/events${encodeQueryString({ cursor })}`, { signal }));
    if (response.ok) return response;
    throw createResponseError(await this.awaitReachable(readStatusAndJsonIfAny(response, 'read')));
  }

  /** Awaits something that needs the network. If it fails, throws that the service is unreachable. */
  async awaitReachable<Value>(work: Promise<Value>, requestKind: RequestKind = 'read'): Promise<Value> {
    try {
      return await work;
    } catch (cause) {
      throw cause instanceof NoteError ? cause : createUnreachableError(this.#baseUrl, cause, requestKind);
    }
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    const { send = (url, request) => fetch(url, request), token } = this.#options;
    return send(`${this.#baseUrl.replace(/\/+$/, '')}/api${path}`, toRequestWithAccessToken(init, token));
  }
}
