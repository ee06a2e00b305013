/** Estimated memory of an item besides its JSON, in characters. */
const itemChars = 200;

/** A log of recent items, oldest first, of about `maxChars` characters. A moment is the number of items before it. */
export class Recent<Item extends { readonly json: string }> {
  readonly #maxChars: number;
  readonly #items: Item[] = [];
  /** Number of items that left `#items`. */
  #dropped = 0;
  #chars = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  get moment(): number {
    return this.#dropped + this.#items.length;
  }

  add(item: Item): void {
    this.#items.push(item);
    this.#chars += item.json.length + itemChars;
    while (this.#chars > this.#maxChars) {
      this.#chars -= (this.#items.shift()?.json.length ?? 0) + itemChars;
      this.#dropped++;
    }
  }

  /** Returns the items after a moment; undefined if some of them are gone or there is no such moment. */
  after(moment: number): readonly Item[] | undefined {
    const isKnown = moment >= this.#dropped && moment <= this.moment;
    return isKnown ? this.#items.slice(moment - this.#dropped) : undefined;
  }

  /** Records a change that is not known in detail: invalidates all earlier moments. */
  invalidate(): void {
    this.#dropped += this.#items.length + 1;
    this.#items.length = 0;
    this.#chars = 0;
  }
}
