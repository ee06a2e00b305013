interface Limits {
  readonly count: number;
  /** Most characters of JSON. */
  readonly chars: number;
}

/** What was written of late, the oldest first. A moment is named by how much came before it. */
export class Recent<Item extends { readonly json: string }> {
  readonly #limits: Limits;
  #items: Item[] = [];
  /** How many are not held any more, the first `#start` items not counted. */
  #dropped = 0;
  #start = 0;
  #chars = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Now. */
  get moment(): number {
    return this.#dropped + this.#items.length;
  }

  add(item: Item): void {
    this.#items.push(item);
    this.#chars += item.json.length;
    const { count, chars } = this.#limits;
    while (this.#chars > chars || this.#items.length - this.#start > count) {
      this.#chars -= this.#items[this.#start++]?.json.length ?? 0;
    }
    if (this.#start > this.#items.length / 16) this.#drop();
  }

  /** What came after a moment; undefined where some of it is forgotten, or it is no moment. */
  after(moment: number): readonly Item[] | undefined {
    const isKnown = moment >= this.#dropped + this.#start && moment <= this.moment;
    return isKnown ? this.#items.slice(moment - this.#dropped) : undefined;
  }

  /** Something came that is not known in detail: what came after a moment before it is forgotten. */
  forget(): void {
    this.#start = this.#items.length;
    this.#chars = 0;
    this.#drop();
    this.#dropped++;
  }

  #drop(): void {
    this.#items = this.#items.slice(this.#start);
    this.#dropped += this.#start;
    this.#start = 0;
  }
}
