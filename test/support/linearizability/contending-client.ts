import { categories, colors, groups, type Note } from '../../../src/core/note.ts';
import type { Random } from '../random.ts';
import { createDraft } from '../sample-notes.ts';
import { createJsonRequest } from '../service.ts';
import type { ContentionRecord } from './contention.ts';
import type { Change, Scope } from './operation.ts';

/** The services on one store, the state that clients share, and their random choices. */
export interface ClientSetting {
  readonly urls: readonly string[];
  readonly contention: ContentionRecord;
  readonly random: Random;
  /** Writes per 20 requests. */
  readonly writes: number;
  /** A group with so much text that its lists are rarely requested. */
  readonly rareGroup?: Note['group'] | undefined;
}

interface ServiceResponse {
  readonly status: number;
  readonly tag: string;
  readonly body: string;
}

interface TimedResponse {
  readonly response: ServiceResponse | undefined;
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
export class ContendingClient {
  readonly #name: string;
  readonly #setting: ClientSetting;
  /** The last list by path. */
  readonly #lists = new Map<string, { readonly tag: string; readonly notes: readonly Note[] }>();
  #scope: Scope = {};

  constructor(name: string, setting: ClientSetting) {
    this.#name = name;
    this.#setting = setting;
  }

  sendNextRequest(): Promise<void> {
    const { random, writes } = this.#setting;
    if (random.below(20) < writes) return this.#sendAndRecordNextWrite();
    return random.below(3) === 0 ? this.#readAndRecordNote() : this.#readAndRecordList();
  }

  async #sendAndRecordNextWrite(): Promise<void> {
    const { contention } = this.#setting;
    const { change, path, init } = this.#createNextWrite();
    const { response, ...asked } = await this.#sendAndRecordTimes(path, init);
    const isDone = response?.status === 200;
    if (!isDone) contention.failed++;
    const notes = isDone ? contention.parseNotes(response.body) : undefined;
    const to = isDone ? asked.to : Number.POSITIVE_INFINITY;
    contention.recordOperation({ ...asked, to, kind: 'write', changes: [change], notes });
  }

  #createNextWrite(): Sent {
    const { contention, random } = this.#setting;
    const id = contention.pickIdOrUndefined(random);
    const text = contention.createUniqueText();
    if (id === undefined) {
      const fields = createDraft({ title: text, category: random.pick(categories), group: random.pick(groups) });
      return { change: { fields }, path: '', init: createJsonRequest(fields) };
    }
    const fields = this.#createNextFields(text);
    const { archived } = fields;
    if (archived === undefined) {
      return { change: { id, fields }, path: `/${id}`, init: createJsonRequest({ id, ...fields }, 'PUT') };
    }
    return { change: { id, fields }, path: `/${id}/${archived ? 'archive' : 'unarchive'}`, init: { method: 'PATCH' } };
  }

  #createNextFields(text: string): Change['fields'] {
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

  async #readAndRecordNote(): Promise<void> {
    const { contention, random } = this.#setting;
    const id = contention.pickIdToRead(random);
    const { response, ...asked } = await this.#sendAndRecordTimes(`/${id}`);
    if (response?.status !== 200 && response?.status !== 404) return void contention.failed++;
    const notes = response.status === 200 ? contention.parseNotes(response.body) : [];
    contention.recordOperation({ ...asked, kind: 'read', scope: { id }, notes });
  }

  async #readAndRecordList(): Promise<void> {
    const { contention, random } = this.#setting;
    if (random.below(2) === 0) this.#scope = this.#pickFilter();
    const scope = this.#scope;
    const path = `?${Object.entries(scope)
      .map(([name, value]) => `${name}=${value}`)
      .join('&')}`;
    const known = random.below(2) === 0 ? this.#lists.get(path) : undefined;
    const condition = known && { 'If-None-Match': known.tag };
    const { response, ...asked } = await this.#sendAndRecordTimes(path, {
      headers: { 'Accept-Encoding': 'identity', ...condition },
    });
    const notes = this.#parseListOrGetKnown(response, path, known?.notes);
    if (notes === undefined) contention.failed++;
    else contention.recordOperation({ ...asked, kind: 'read', scope, notes });
  }

  /** The list of a response; for 304, the known one. */
  #parseListOrGetKnown(
    response: ServiceResponse | undefined,
    path: string,
    known: readonly Note[] | undefined,
  ): readonly Note[] | undefined {
    const { contention } = this.#setting;
    if (response?.status === 304) contention.unchanged++;
    if (response?.status !== 200) return response?.status === 304 ? known : undefined;
    const notes = contention.parseNotes(response.body);
    contention.rememberTag(path, response.tag, notes);
    this.#lists.set(path, { tag: response.tag, notes });
    return notes;
  }

  #pickFilter(): Scope {
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

  async #sendAndRecordTimes(path: string, init: RequestInit = {}): Promise<TimedResponse> {
    const { urls, random } = this.#setting;
    const url = `${urls[random.below(urls.length)]}/api/notes${path}`;
    const from = performance.now();
    const response = await fetchResponseIfComplete(url, init);
    return { response, by: this.#name, from, to: performance.now() };
  }
}

/** Undefined if the connection was closed before the end of the response. */
async function fetchResponseIfComplete(url: string, init: RequestInit): Promise<ServiceResponse | undefined> {
  try {
    const fetched = await fetch(url, init);
    return { status: fetched.status, tag: fetched.headers.get('etag') ?? '', body: await fetched.text() };
  } catch {
    return undefined;
  }
}
