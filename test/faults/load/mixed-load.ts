/** A client that writes, reads, sends invalid requests, disconnects and reconnects. */
import { expect } from 'bun:test';
import * as z from 'zod/mini';
import { categories, groups, Note } from '../../../src/core/note.ts';
import type { History, State } from '../../support/http/history.ts';
import { beginList } from '../../support/http/long-list.ts';
import { type Answer, type Connection, connect } from '../../support/http/raw.ts';
import type { Random } from '../../support/random.ts';
import { draft, type Service } from '../../support/service.ts';

const Notes = z.array(Note);
const maxNotes = 100;
const filler = 'x'.repeat(8_000);

const jsonType = 'Content-Type: application/json\r\n';

export class MixedClient implements Disposable {
  requests = 0;
  readonly #name: string;
  readonly #service: Service;
  readonly #random: Random;
  readonly #history: History;
  /** Its own notes, as in the last responses. */
  readonly #notes: Note[] = [];
  #connection: Connection | undefined;

  constructor(name: string, service: Service, random: Random, history: History) {
    this.#name = name;
    this.#service = service;
    this.#random = random;
    this.#history = history;
  }

  /** Sends requests sequentially until `isOver`. */
  async actUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) await this.#act(this.#random.below(100));
  }

  [Symbol.dispose](): void {
    this.#connection?.[Symbol.dispose]();
    this.#connection = undefined;
  }

  async #act(dice: number): Promise<void> {
    if (dice < 45) return this.#write();
    if (dice < 75) return this.#list();
    if (dice < 85) return this.#expectStatus(404, 'GET', '/999999999');
    if (dice < 90) return this.#expectStatus(400, 'POST', '', '{"title":""}');
    if (dice < 95) return this[Symbol.dispose](); // the next request uses a new connection
    return dice < 99 ? this.#abandonList() : this.#listAll();
  }

  async #write(): Promise<void> {
    const index = this.#random.below(maxNotes);
    const note = this.#notes[index];
    const content = `${this.requests} ${filler}`;
    if (note === undefined) {
      const title = `${this.#name}-${this.#notes.length}`;
      const { pick } = this.#random;
      const body = draft({ title, content, category: pick(categories), group: pick(groups) });
      this.#notes.push(await this.#change({ title, state: { content, archived: false } }, 'POST', '', body));
      return;
    }
    const { id, title, archived } = note;
    const isUpdate = this.#random.below(3) > 0;
    this.#notes[index] = isUpdate
      ? await this.#change({ title, state: { content, archived } }, 'PUT', `/${id}`, { id, content })
      : await this.#change(
          { title, state: { content: note.content, archived: !archived } },
          'PATCH',
          `/${id}/${archived ? 'unarchive' : 'archive'}`,
        );
  }

  async #change(to: { title: string; state: State }, method: string, path: string, body?: object): Promise<Note> {
    const attempt = this.#history.invoke(to.title, to.state);
    const answer = await this.#ask(method, path, body && JSON.stringify(body));
    expect(answer.status).toBe(200);
    const note = Note.parse(JSON.parse(answer.body));
    attempt.ok(note);
    return note;
  }

  /** Checks that a list shows one of its notes as in the last response. */
  async #list(): Promise<void> {
    const note = this.#notes[this.#random.below(this.#notes.length)];
    if (note === undefined) return;
    const { category, group, archived } = note;
    const answer = await this.#ask('GET', `?category=${category}&group=${group}&archived=${archived}`);
    const listed = Notes.parse(JSON.parse(answer.body)).find(({ id }) => id === note.id);
    expect(listed).toEqual(note);
  }

  async #expectStatus(status: number, method: string, path: string, body?: string): Promise<void> {
    expect((await this.#ask(method, path, body)).status).toBe(status);
  }

  async #abandonList(): Promise<void> {
    this.requests++;
    using _ = await beginList(`${this.#service.url}/api/notes`);
    await Bun.sleep(this.#random.pick([0, 20, 300]));
  }

  async #listAll(): Promise<void> {
    this.requests++;
    const listed: unknown = await (await fetch(`${this.#service.url}/api/notes`, { keepalive: false })).json();
    expect(Array.isArray(listed) && listed.length >= this.#notes.length).toBe(true);
  }

  async #ask(method: string, path: string, body = ''): Promise<Answer> {
    this.requests++;
    this.#connection ??= await connect(this.#service.port);
    const length = `Content-Length: ${Buffer.byteLength(body)}\r\n`;
    this.#connection.send(`${method} /api/notes${path} HTTP/1.1\r\nHost: localhost\r\n${jsonType}${length}\r\n${body}`);
    const answer = await this.#connection.answer();
    if (typeof answer === 'string') throw new Error(`${method} ${path}: ${answer}`);
    return answer;
  }
}
