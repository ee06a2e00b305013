/** A terminal emulator with the escape sequences that tests and pictures need. */

export interface CellStyle {
  /** As in SGR: 30 to 37, 90 to 97. */
  readonly color?: number;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly underline?: boolean;
  readonly inverse?: boolean;
}

export interface Cell {
  /** One character with its marks; empty after a wide one. */
  readonly text: string;
  readonly style: CellStyle;
}

interface Place {
  row: number;
  column: number;
}

const blank: Cell = { text: ' ', style: {} };

// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with ESC and end with BEL, of which Unicode has no class
const token = /\x1b\[([?>]?)([\d;]*)([@-~])|\x1b[\]PX^_][\s\S]*?(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]|[\s\S]/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const unfinished = /\x1b(?:\[[\d;?>]*|[\]PX^_](?:(?!\x07|\x1b\\)[\s\S])*)?$/;

export class Screen {
  columns: number;
  rows: number;
  isCursorShown = true;
  isAlternate = false;
  #cells: Cell[][];
  #cursor: Place = { row: 0, column: 0 };
  #saved: { readonly cells: Cell[][]; readonly cursor: Place } | undefined;
  #style: CellStyle = {};
  #rest = '';

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
    this.#cells = this.#blankRows();
  }

  get cursor(): Readonly<Place> {
    return this.#cursor;
  }

  /** The cells, row by row. */
  get cells(): readonly (readonly Cell[])[] {
    return this.#cells;
  }

  /** The rows as text, without blanks at their ends and blank rows at the end. */
  get text(): string {
    return this.#cells
      .map((row) =>
        row
          .map(({ text }) => text)
          .join('')
          .trimEnd(),
      )
      .join('\n')
      .trimEnd();
  }

  resize(columns: number, rows: number): void {
    this.columns = columns;
    this.rows = rows;
    const lost = Math.max(0, this.#cursor.row + 1 - rows);
    this.#cells = this.#blankRows().map((row, y) => row.map((cell, x) => this.#cells[y + lost]?.[x] ?? cell));
    this.#cursor = { row: this.#cursor.row - lost, column: Math.min(this.#cursor.column, columns - 1) };
  }

  write(output: string): void {
    const text = this.#rest + output;
    this.#rest = unfinished.exec(text)?.[0] ?? '';
    for (const [whole, mark, numbers, final] of text.slice(0, text.length - this.#rest.length).matchAll(token)) {
      if (final !== undefined) this.#control(final, mark === '?', (numbers ?? '').split(';').map(Number));
      else if (!whole.startsWith('\x1b')) this.#put(whole);
    }
  }

  #blankRows = (): Cell[][] => Array.from({ length: this.rows }, () => Array<Cell>(this.columns).fill(blank));

  #put(character: string): void {
    const cursor = this.#cursor;
    if (character === '\r') cursor.column = 0;
    else if (character === '\n') this.#feed();
    else if (character === '\b') cursor.column = Math.max(0, cursor.column - 1);
    else if (character === '\t') cursor.column = Math.min(this.columns - 1, (Math.floor(cursor.column / 8) + 1) * 8);
    else if (character >= ' ' && character !== '\x7f') this.#draw(character);
  }

  #draw(character: string): void {
    const width = Bun.stringWidth(character);
    if (this.#cursor.column + width > this.columns) {
      this.#cursor.column = 0;
      this.#feed();
    }
    const { row, column } = this.#cursor;
    const cells = this.#cells[row] ?? [];
    const before = cells[column - 1];
    if (width > 0) cells[column] = { text: character, style: this.#style };
    else if (before !== undefined) cells[column - 1] = { ...before, text: before.text + character };
    if (width > 1) cells[column + 1] = { text: '', style: this.#style };
    this.#cursor.column += width;
  }

  #feed(): void {
    if (this.#cursor.row < this.rows - 1) this.#cursor.row++;
    else this.#cells = [...this.#cells.slice(1), Array<Cell>(this.columns).fill(blank)];
  }

  #control(final: string, isPrivate: boolean, numbers: readonly number[]): void {
    const [first = 0, second = 0] = numbers;
    if (isPrivate) this.#switch(first, final === 'h');
    else if (final === 'm') for (const number of numbers) this.#style = styled(this.#style, number);
    else if (final === 'J') this.#erase(first);
    else if (final === 'K') this.#eraseInRow(this.#cursor.row, first);
    else this.#move(final, first, second);
  }

  #move(final: string, first: number, second: number): void {
    const { row, column } = this.#cursor;
    const count = Math.max(1, first);
    const to: Record<string, Place> = {
      A: { row: row - count, column },
      B: { row: row + count, column },
      C: { row, column: column + count },
      D: { row, column: column - count },
      E: { row: row + count, column: 0 },
      F: { row: row - count, column: 0 },
      G: { row, column: count - 1 },
      d: { row: count - 1, column },
      H: { row: count - 1, column: Math.max(1, second) - 1 },
    };
    const place = to[final] ?? { row, column };
    this.#cursor = { row: clamp(place.row, this.rows), column: clamp(place.column, this.columns) };
  }

  #switch(mode: number, isOn: boolean): void {
    if (mode === 25) this.isCursorShown = isOn;
    if (mode !== 1049 || isOn === this.isAlternate) return;
    this.isAlternate = isOn;
    if (isOn) {
      this.#saved = { cells: this.#cells, cursor: { ...this.#cursor } };
      this.#cells = this.#blankRows();
    } else if (this.#saved !== undefined) {
      this.#cells = this.#saved.cells;
      this.#cursor = this.#saved.cursor;
    }
  }

  #erase(part: number): void {
    if (part < 2) this.#eraseInRow(this.#cursor.row, part);
    for (let row = 0; row < this.rows; row++) {
      const isErased = part >= 2 || (part === 0 ? row > this.#cursor.row : row < this.#cursor.row);
      if (isErased) this.#eraseInRow(row, 2);
    }
  }

  #eraseInRow(row: number, part: number): void {
    const { column } = this.#cursor;
    const isErased = (x: number) => part === 2 || (part === 0 ? x >= column : x <= column);
    this.#cells[row] = (this.#cells[row] ?? []).map((cell, x) => (isErased(x) ? blank : cell));
  }
}

const clamp = (place: number, count: number) => Math.min(Math.max(0, place), count - 1);

function styled(style: CellStyle, number: number): CellStyle {
  const isColor = (number >= 30 && number <= 37) || (number >= 90 && number <= 97);
  if (isColor) return { ...style, color: number };
  const changes: Record<number, CellStyle> = {
    1: { bold: true },
    2: { dim: true },
    4: { underline: true },
    7: { inverse: true },
    22: { bold: false, dim: false },
    24: { underline: false },
    27: { inverse: false },
  };
  if (number === 0) return {};
  if (number !== 39) return { ...style, ...changes[number] };
  const { color: _, ...rest } = style;
  return rest;
}
