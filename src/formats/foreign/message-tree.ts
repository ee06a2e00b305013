import type { Fields } from '../../core/tools/json.ts';

/** A message of a conversation that was edited or regenerated, so that it became a tree. */
export interface TreeNode {
  /** Unique in the conversation. */
  readonly id: string;
  /** Empty for a first message; may name a node that is missing. */
  readonly parent: string;
  readonly children?: readonly string[];
  /** ISO 8601. */
  readonly time: string | undefined;
  readonly message: Fields;
}

/**
 * The messages that the program shows, from first to last: the ancestors of `current`, and what follows it. Nodes can
 * be cut off: a missing parent is bridged by the node that lists it as a child; where none does, the nodes are a tree
 * of their own, of which the branch with the newest message is taken as well. Such trees are ordered by the time of
 * their first message; one without times stays behind the one before it in the file. Nothing but other branches of the
 * same tree is left out.
 */
export function findShownMessages(nodes: readonly TreeNode[], current: string): readonly Fields[] {
  const parents = mapParents(nodes);
  const roots = mapRoots(parents);
  const children = Map.groupBy(parents.keys(), (id) => parents.get(id) ?? '');
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const getTime = (id: string) => byId.get(id)?.time ?? '';
  const findNewest = (ids: readonly string[]) =>
    ids.reduce<string | undefined>(
      (best, id) => (best !== undefined && getTime(id) < getTime(best) ? best : id),
      undefined,
    );

  const listBranchThrough = (start: string): readonly string[] => {
    const branch = new Set(listAncestors(start, parents).reverse());
    for (let at: string | undefined = start; at !== undefined; ) {
      branch.add(at);
      at = findNewest((children.get(at) ?? []).filter((id) => !branch.has(id)));
    }
    return [...branch];
  };

  let time = '';
  const branches = Array.from(Map.groupBy(byId.keys(), (id) => roots.get(id)).values(), (ids) => {
    const branch = listBranchThrough(ids.includes(current) ? current : (findNewest(ids) ?? ''));
    time = getTime(branch.find((id) => getTime(id) !== '') ?? '') || time;
    return { branch, time };
  });
  return branches
    .sort((one, other) => (one.time < other.time ? -1 : Number(one.time > other.time)))
    .flatMap(({ branch }) => branch)
    .flatMap((id) => byId.get(id) ?? [])
    .map(({ message }) => message);
}

/** The parent of each node, also of those that are only named as a parent; empty for none. */
function mapParents(nodes: readonly TreeNode[]): ReadonlyMap<string, string> {
  const listing = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const parents = new Map(nodes.map(({ id, parent }) => [id, parent || (listing.get(id) ?? '')]));
  for (const parent of [...parents.values()]) {
    if (parent !== '' && !parents.has(parent)) parents.set(parent, listing.get(parent) ?? '');
  }
  return parents;
}

/** A node and its ancestors, upwards. */
function listAncestors(id: string, parents: ReadonlyMap<string, string>): string[] {
  const path = new Set<string>();
  for (let at = id; at !== '' && !path.has(at); at = parents.get(at) ?? '') path.add(at);
  return [...path];
}

/** A name of the tree of each node: its root, or a node of the circle at its top. */
function mapRoots(parents: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const roots = new Map<string, string>();
  for (const id of parents.keys()) {
    const path = new Set<string>();
    let at = id;
    for (; at !== '' && !path.has(at) && !roots.has(at); at = parents.get(at) ?? '') path.add(at);
    const root = roots.get(at) ?? [...path].at(-1) ?? id;
    for (const one of path) roots.set(one, root);
  }
  return roots;
}
