/** Sections of a page that a command of their own writes: between `<!-- name: begin -->` and `<!-- name: end -->`. */

const marks = (name: string) => [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`] as const;

/** The section with its marks; empty where there is none. */
export function sectionIn(page: string, name: string): string {
  const [begin, end] = marks(name);
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  return from < 0 || to < 0 ? '' : page.slice(from, to + end.length);
}

/** Puts `text` in the place of the section, or at the end of the page. */
export async function replaceSection(path: string, name: string, text: string): Promise<void> {
  const page = await Bun.file(path).text();
  const [begin, end] = marks(name);
  const section = `${begin}\n${text}${end}`;
  const old = sectionIn(page, name);
  await Bun.write(path, old === '' ? `${page}\n${section}\n` : page.replace(old, () => section));
}
