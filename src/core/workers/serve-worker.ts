/** The side of a worker: it calls its methods as a `WorkerClient` on another thread requests. */
import { type EncodedError, type ErrorCodec, encodeError } from './worker-errors.ts';

/** What a worker can be asked to do. Arguments and results are copied: see the structured clone algorithm. */
export type WorkerMethods = Readonly<Record<string, (...args: never[]) => unknown>>;

/** Messages to a worker. One is sent at a time: the next one follows the reply. */
export interface WorkerRequest {
  readonly method: string;
  readonly args: readonly unknown[];
}

/** Messages from a worker: first that its module has been loaded, then the reply to each request. */
export type WorkerReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'error'; readonly error: EncodedError };

/** A result whose buffers move to the other thread instead of being copied: the worker cannot use them any more. */
export class MovedResult<Result> {
  readonly result: Result;
  readonly buffers: readonly ArrayBuffer[];

  constructor(result: Result, buffers: readonly ArrayBuffer[]) {
    this.result = result;
    this.buffers = buffers;
  }
}

/** The part of a worker's global scope that is used. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<WorkerRequest>) => void) | null;
  postMessage(reply: WorkerReply, transferred: ArrayBuffer[]): void;
}

/** Serves requests from now on. Call it once, at the end of the module of the worker. */
export function serveWorkerMethods(
  scope: WorkerScope,
  methods: WorkerMethods,
  codecs: readonly ErrorCodec[] = [],
): void {
  const sendResult = (returned: unknown) => {
    const { result, buffers } = returned instanceof MovedResult ? returned : new MovedResult(returned, []);
    scope.postMessage({ kind: 'result', result }, [...buffers]);
  };
  scope.onmessage = async ({ data: { method, args } }) => {
    try {
      const call = Object.hasOwn(methods, method) ? methods[method] : undefined;
      if (call === undefined) throw new TypeError(`The worker has no method ${method}`);
      sendResult(await Reflect.apply(call, undefined, args));
    } catch (error) {
      scope.postMessage({ kind: 'error', error: encodeError(error, codecs) }, []);
    }
  };
  scope.postMessage({ kind: 'ready' }, []);
}
