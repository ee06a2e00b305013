/** An event of a stream of server-sent events. */
export interface SentEvent {
  readonly type: string;
  readonly data: string;
  readonly lastEventId: string;
}

/**
 * What `EventSource` makes of bytes (html.spec.whatwg.org, 9.2.6), one stream after the other. The last event id is
 * taken with the empty line that ends a frame; what a stream ends within is dropped.
 */
export class EventSourceParser {
  /** Sent as `Last-Event-ID` at the next connection, unless empty. */
  lastEventId: string;
  #decoder = new TextDecoder();
  #rest = '';
  #id = '';
  #type = '';
  #data = '';

  constructor(lastEventId: string) {
    this.lastEventId = lastEventId;
  }

  /** Begins the next stream. */
  resetForNextStream(): void {
    this.#decoder = new TextDecoder();
    this.#rest = this.#id = this.#type = this.#data = '';
  }

  /** The events that end within these bytes. */
  parseBytes(bytes: Uint8Array): SentEvent[] {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#parseLine(line) ?? []);
  }

  #parseLine(line: string): SentEvent | undefined {
    if (line === '') return this.#takeEvent();
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'event') this.#type = value;
    else if (field === 'data') this.#data += `${value}\n`;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    return undefined;
  }

  #takeEvent(): SentEvent | undefined {
    this.lastEventId = this.#id;
    const [type, data] = [this.#type || 'message', this.#data];
    this.#type = this.#data = '';
    return data === '' ? undefined : { type, data: data.slice(0, -1), lastEventId: this.lastEventId };
  }
}
