import type { Fields } from '../../../core/json/json.ts';

/** A message of a conversation that was edited or regenerated, so that it became a tree. */
export interface TreeNode {
  /** The id, which is unique in the conversation. */
  readonly id: string;
  /** The id of the parent. It is empty for a first message, and may name a node that is missing. */
  readonly parent: string;
  readonly children?: readonly string[];
  /** ISO 8601. */
  readonly time: string | undefined;
  readonly message: Fields;
}

/**
 * Finds the messages that the program shows, from first to last: the ancestors of `current`, and what follows it. Other
 * branches of the same tree are left out, and nothing else.
 *
 * Nodes can be cut off. A missing parent is bridged by the node that lists it as a child. Where none does, the nodes
 * are a tree of their own, of which the branch with the newest message is shown as well. Such trees are ordered by the
 * time of their first message; one without times stays behind the one before it in the file.
 *
 * Example: `a` is a prompt. Its response was written twice, `b` at 10:01 and `c` at 10:02. The prompt `d` follows `b`,
 * and is `current`. The parent of `x`, at 9:00, is not in the file. The trees are {a, b, c, d} and {x}. The branch
 * through `d` is a, b, d, without `c`; that of the other tree is x, which comes first by its time. Shown are x, a, b,
 * d.
 */
export function listMessagesOfShownBranches(nodes: readonly TreeNode[], current: string): readonly Fields[] {
  const parents = mapIdsToParentIds(nodes);
  const roots = mapIdsToRootIds(parents);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const trees = Map.groupBy(byId.keys(), (id) => roots.get(id));
  const children = Map.groupBy(parents.keys(), (id) => parents.get(id) ?? '');
  const branches = [...trees.values()].map((ids) => {
    const start = ids.includes(current) ? current : findNewestId(ids, byId);
    return start === undefined ? [] : listIdsOfNewestBranchThrough(start, { byId, parents, children });
  });
  return sortBranchesByFirstTime(branches, byId)
    .flatMap((branch) => branch.flatMap((id) => byId.get(id) ?? []))
    .map(({ message }) => message);
}

type NodesById = ReadonlyMap<string, TreeNode>;

/** Finds the node with the latest time, and of several the last one in the list. */
function findNewestId(ids: readonly string[], byId: NodesById): string | undefined {
  let newest: string | undefined;
  for (const id of ids)
    if (newest === undefined || getNodeTimeOrEmpty(id, byId) >= getNodeTimeOrEmpty(newest, byId)) newest = id;
  return newest;
}

const getNodeTimeOrEmpty = (id: string, byId: NodesById): string => byId.get(id)?.time ?? '';

interface Forest {
  readonly byId: NodesById;
  readonly parents: ReadonlyMap<string, string>;
  readonly children: ReadonlyMap<string, readonly string[]>;
}

/** Lists the ids of the ancestors of a node, of the node, and below it always of the newest child. */
function listIdsOfNewestBranchThrough(start: string, { byId, parents, children }: Forest): readonly string[] {
  const branch = new Set(listIdAndAncestorIds(start, parents).reverse());
  for (let at: string | undefined = start; at !== undefined; ) {
    branch.add(at);
    const unseen = (children.get(at) ?? []).filter((id) => !branch.has(id));
    at = findNewestId(unseen, byId);
  }
  return [...branch];
}

function sortBranchesByFirstTime(
  branches: readonly (readonly string[])[],
  byId: NodesById,
): readonly (readonly string[])[] {
  let time = '';
  const timed = branches.map((branch) => {
    time = branch.map((id) => getNodeTimeOrEmpty(id, byId)).find((one) => one !== '') ?? time;
    return { branch, time };
  });
  return timed
    .sort((one, other) => (one.time < other.time ? -1 : Number(one.time > other.time)))
    .map(({ branch }) => branch);
}

/**
 * Maps the id of each node to that of its parent, which is empty if there is none. Nodes that are only named as a
 * parent are in the map, too.
 */
function mapIdsToParentIds(nodes: readonly TreeNode[]): ReadonlyMap<string, string> {
  const listing = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const parents = new Map(nodes.map(({ id, parent }) => [id, parent || (listing.get(id) ?? '')]));
  for (const parent of [...parents.values()]) {
    if (parent !== '' && !parents.has(parent)) parents.set(parent, listing.get(parent) ?? '');
  }
  return parents;
}

/** Lists the id of a node, of its parent, and so on up to the root. A circle of parents ends where it began. */
function listIdAndAncestorIds(id: string, parents: ReadonlyMap<string, string>): string[] {
  const path = new Set<string>();
  for (let at = id; at !== '' && !path.has(at); at = parents.get(at) ?? '') path.add(at);
  return [...path];
}

/**
 * Maps each node to the root of its tree, so that two nodes are in the same tree if they have the same root. Damaged
 * files may have parents in a circle instead of a root. Then the last node before the circle repeats stands for the
 * root.
 *
 * Example: the parents are c → b, b → a, a → none, and x → y, y → x. The roots of a, b and c are a. The roots of x and
 * y are y: from x, the way up is x, y, and then x again.
 */
function mapIdsToRootIds(parents: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const roots = new Map<string, string>();
  for (const id of parents.keys()) {
    const path = new Set<string>();
    let at = id;
    for (; at !== '' && !path.has(at) && !roots.has(at); at = parents.get(at) ?? '') path.add(at);
    const [top = id] = [...path].reverse();
    const root = roots.get(at) ?? top;
    for (const one of path) roots.set(one, root);
  }
  return roots;
}
