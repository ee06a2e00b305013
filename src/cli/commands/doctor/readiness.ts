import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import * as z from 'zod/mini';
import { parsed } from '../../../shared/json.ts';
import { codeOf, messageOf } from '../../../shared/thrown.ts';

/** What answers at an address: a service, another program, or nothing. */
export interface Readiness {
  readonly kind: 'ready' | 'not ready' | 'other' | 'silent' | 'nobody';
  /** Why it is not ready. */
  readonly reason: string;
}

const ready = z.object({ status: z.literal('ready') });
const refused = z.object({ error: z.string() });

/** Requests `/readyz` below an address, without the proxy of the environment. */
export async function askReadiness(url: string, ms: number): Promise<Readiness> {
  try {
    const answer = await answerOf(`${url.replace(/\/$/, '')}/readyz`, AbortSignal.timeout(ms));
    if (ready.safeParse(answer).success) return { kind: 'ready', reason: '' };
    const { data } = refused.safeParse(answer);
    if (data) return { kind: 'not ready', reason: data.error };
    return { kind: 'other', reason: 'its answer is not the expected one' };
  } catch (error) {
    return { kind: codeOf(error) === 'ECONNREFUSED' ? 'nobody' : 'silent', reason: messageOf(error) };
  }
}

/** Returns the answer parsed as JSON, or undefined if it is not JSON. */
async function answerOf(url: string, signal: AbortSignal): Promise<unknown> {
  const answered = Promise.withResolvers<IncomingMessage>();
  const get = url.startsWith('https:') ? getHttps : getHttp;
  get(url, { signal, agent: false }, answered.resolve).on('error', answered.reject);
  return parsed(await Promise.race([answered.promise.then(text), once(signal)]));
}

const once = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('no answer in time'))));
