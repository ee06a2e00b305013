/** Answers of the service, captured so that the raw server can send the same bytes. */
import * as z from 'zod/mini';
import type { Call } from './scenarios.ts';

/** One answer. The headers are those that the application sets. */
export const Answer = z.object({
  status: z.int(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  body: z.string(),
});
export type Answer = z.infer<typeof Answer>;

/** An answer for each method that is asked with. */
export const Answers = z.record(z.string(), Answer);
export type Answers = z.infer<typeof Answers>;

/** The server writes these by itself, the raw one too. */
const ofTheServer = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'];

/** Sends the first call of each method to the service and keeps the answers. Throws unless all have status 200. */
export async function captureAnswers(url: string, calls: readonly Call[]): Promise<Answers> {
  const answers: Answers = {};
  for (const call of calls) answers[call.method] ??= await capture(url, call);
  return answers;
}

async function capture(url: string, call: Call): Promise<Answer> {
  const response = await send(url, call);
  const headers = [...response.headers].filter(([name]) => !ofTheServer.includes(name));
  return { status: response.status, headers, body: await response.text() };
}

/** Sends one call. Throws, with what was answered, unless its status is one of those. */
export async function send(url: string, { method, path, body }: Call, statuses = [200]): Promise<Response> {
  const headers = { 'Accept-Encoding': 'identity', ...(body && { 'Content-Type': 'application/json' }) };
  const response = await fetch(url + path, { method, headers, ...(body && { body }) });
  if (statuses.includes(response.status)) return response;
  throw new Error(`${method} ${path} was answered with ${response.status}: ${await response.text()}`);
}
