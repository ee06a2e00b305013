import { categories, colors, groups, type Note } from '../../../src/core/note.ts';
import type { Random } from '../random.ts';
import { draft, jsonBody } from '../service.ts';
import type { Contention } from './contention.ts';
import type { Change, Scope } from './operation.ts';

/** The services on one store, the state that clients share, and their random choices. */
export interface ClientSetting {
  readonly urls: readonly string[];
  readonly contention: Contention;
  readonly random: Random;
  /** Writes per 20 requests. */
  readonly writes: number;
  /** A group with so much text that its lists are rarely requested. */
  readonly rareGroup?: Note['group'] | undefined;
}

interface Answer {
  readonly status: number;
  readonly tag: string;
  readonly body: string;
}

interface Asked {
  readonly answer: Answer | undefined;
  readonly by: string;
  readonly from: number;
  readonly to: number;
}

interface Sent {
  readonly change: Change;
  readonly path: string;
  readonly init: RequestInit;
}

/** Sends one request after the other, each to any of the services, and records the responses. */
export class Client {
  readonly #name: string;
  readonly #setting: ClientSetting;
  /** The last list by path. */
  readonly #lists = new Map<string, { readonly tag: string; readonly notes: readonly Note[] }>();
  #scope: Scope = {};

  constructor(name: string, setting: ClientSetting) {
    this.#name = name;
    this.#setting = setting;
  }

  act(): Promise<void> {
    const { random, writes } = this.#setting;
    if (random.below(20) < writes) return this.#write();
    return random.below(3) === 0 ? this.#read() : this.#list();
  }

  async #write(): Promise<void> {
    const { contention } = this.#setting;
    const { change, path, init } = this.#nextWrite();
    const { answer, ...asked } = await this.#ask(path, init);
    const isDone = answer?.status === 200;
    if (!isDone) contention.failed++;
    const notes = isDone ? contention.parse(answer.body) : undefined;
    const to = isDone ? asked.to : Number.POSITIVE_INFINITY;
    contention.record({ ...asked, to, kind: 'write', changes: [change], notes });
  }

  #nextWrite(): Sent {
    const { contention, random } = this.#setting;
    const id = contention.pickId(random);
    const text = contention.nextText();
    if (id === undefined) {
      const fields = draft({ title: text, category: random.pick(categories), group: random.pick(groups) });
      return { change: { fields }, path: '', init: jsonBody(fields) };
    }
    const fields = this.#nextFields(text);
    const { archived } = fields;
    if (archived === undefined) {
      return { change: { id, fields }, path: `/${id}`, init: jsonBody({ id, ...fields }, 'PUT') };
    }
    return { change: { id, fields }, path: `/${id}/${archived ? 'archive' : 'unarchive'}`, init: { method: 'PATCH' } };
  }

  #nextFields(text: string): Change['fields'] {
    const { pick, below } = this.#setting.random;
    if (below(4) === 0) return { archived: below(2) === 0 };
    return pick<Change['fields']>([
      { title: text },
      { title: text },
      { content: text },
      { color: pick(colors) },
      { category: pick(categories) },
      { group: pick(groups) },
    ]);
  }

  async #read(): Promise<void> {
    const { contention, random } = this.#setting;
    const id = contention.pickIdToRead(random);
    const { answer, ...asked } = await this.#ask(`/${id}`);
    if (answer?.status !== 200 && answer?.status !== 404) return void contention.failed++;
    const notes = answer.status === 200 ? contention.parse(answer.body) : [];
    contention.record({ ...asked, kind: 'read', scope: { id }, notes });
  }

  async #list(): Promise<void> {
    const { contention, random } = this.#setting;
    if (random.below(2) === 0) this.#scope = this.#nextScope();
    const scope = this.#scope;
    const path = `?${Object.entries(scope)
      .map(([name, value]) => `${name}=${value}`)
      .join('&')}`;
    const known = random.below(2) === 0 ? this.#lists.get(path) : undefined;
    const condition = known && { 'If-None-Match': known.tag };
    const { answer, ...asked } = await this.#ask(path, { headers: { 'Accept-Encoding': 'identity', ...condition } });
    const notes = this.#listIn(answer, path, known?.notes);
    if (notes === undefined) contention.failed++;
    else contention.record({ ...asked, kind: 'read', scope, notes });
  }

  /** The list of a response; for 304, the known one. */
  #listIn(answer: Answer | undefined, path: string, known: readonly Note[] | undefined): readonly Note[] | undefined {
    const { contention } = this.#setting;
    if (answer?.status === 304) contention.unchanged++;
    if (answer?.status !== 200) return answer?.status === 304 ? known : undefined;
    const notes = contention.parse(answer.body);
    contention.keepTag(path, answer.tag, notes);
    this.#lists.set(path, { tag: answer.tag, notes });
    return notes;
  }

  #nextScope(): Scope {
    const { random, rareGroup } = this.#setting;
    const { pick, below } = random;
    const picked = pick(groups);
    const group = picked === rareGroup ? 'first' : picked;
    const hasGroup = rareGroup ? below(30) > 0 : below(4) === 0;
    return {
      ...(below(2) === 0 && { archived: below(2) === 0 }),
      ...(below(4) === 0 && { category: pick(categories) }),
      ...(hasGroup && { group }),
    };
  }

  async #ask(path: string, init: RequestInit = {}): Promise<Asked> {
    const { urls, random } = this.#setting;
    const url = `${urls[random.below(urls.length)]}/api/notes${path}`;
    const from = performance.now();
    const answer = await answerOf(url, init);
    return { answer, by: this.#name, from, to: performance.now() };
  }
}

/** Undefined if the connection was closed before the end of the response. */
async function answerOf(url: string, init: RequestInit): Promise<Answer | undefined> {
  try {
    const answer = await fetch(url, init);
    return { status: answer.status, tag: answer.headers.get('etag') ?? '', body: await answer.text() };
  } catch {
    return undefined;
  }
}
