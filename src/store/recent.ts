interface Limits {
  readonly count: number;
  /** Maximum number of characters of JSON. */
  readonly chars: number;
}

/** A bounded log of recent items, oldest first. A moment is the number of items before it. */
export class Recent<Item extends { readonly json: string }> {
  readonly #limits: Limits;
  #items: Item[] = [];
  /** Number of items that left `#items`. The first `#start` items there are obsolete, too. */
  #dropped = 0;
  #start = 0;
  #chars = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

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

  /** Returns the items after a moment; undefined if some of them are gone or there is no such moment. */
  after(moment: number): readonly Item[] | undefined {
    const isKnown = moment >= this.#dropped + this.#start && moment <= this.moment;
    return isKnown ? this.#items.slice(moment - this.#dropped) : undefined;
  }

  /** Records a change that is not known in detail: invalidates all earlier moments. */
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
