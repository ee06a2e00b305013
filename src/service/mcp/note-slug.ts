/** A name for files and commands: ASCII letters, digits and hyphens, at most 64; the id makes it unique. */
export function createNoteSlugWithId({ id, title }: { readonly id: number; readonly title: string }): string {
  const plain = title
    .slice(0, 200)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  const words =
    plain
      .match(/[a-z0-9]+/g)
      ?.join('-')
      .slice(0, 47) ?? 'prompt';
  return `${words}-${id}`;
}
