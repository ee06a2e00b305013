/** The graph of operations; an edge means that one took effect before the other. */
import type { Operation } from './operation.ts';

/** An operation, or a moment between operations that had ended and those that began later. */
export interface Node {
  readonly index: number;
  readonly operation: Operation | undefined;
  /** Later nodes did not start earlier than this. */
  readonly from: number;
  readonly next: Node[];
}

export class Precedence {
  readonly nodes: Node[] = [];
  readonly #nodeOf = new Map<Operation, Node>();

  /** Adds the order in time: operations answered before another was sent precede it. */
  constructor(history: readonly Operation[]) {
    for (const operation of history) this.#nodeOf.set(operation, this.#add(operation.from, operation));
    const [begun, ended] = [history.toSorted((a, b) => a.from - b.from), history.toSorted((a, b) => a.to - b.to)];
    let moment: Node | undefined;
    let count = 0;
    for (const operation of begun) {
      const { from } = operation;
      const before = count;
      while ((ended[count]?.to ?? from) < from) count++;
      if (count > before) {
        const next = this.#add(from, undefined);
        moment?.next.push(next);
        for (const earlier of ended.slice(before, count)) this.nodeOf(earlier).next.push(next);
        moment = next;
      }
      moment?.next.push(this.nodeOf(operation));
    }
  }

  nodeOf(operation: Operation): Node {
    const node = this.#nodeOf.get(operation);
    if (node === undefined) throw new Error('The operation is none of this history');
    return node;
  }

  /** Adds an edge unless it follows from the order in time. Returns a function that removes it. */
  demand(before: Operation | undefined, after: Operation | undefined): () => void {
    if (before === undefined || after === undefined || before.to < after.from) return () => {};
    const { next } = this.nodeOf(before);
    next.push(this.nodeOf(after));
    return () => void next.pop();
  }

  /** Whether one must precede the other. Requires an acyclic graph, in which no path leads back in time. */
  isBefore(before: Operation | undefined, after: Operation | undefined): boolean {
    if (before === undefined || after === undefined) return false;
    if (before.to < after.from) return true;
    const [start, goal] = [this.nodeOf(before), this.nodeOf(after)];
    const found = new Set([start]);
    for (const node of found) {
      if (node === goal) return true;
      for (const next of node.next) if (next.from <= after.to) found.add(next);
    }
    return false;
  }

  #add(from: number, operation: Operation | undefined): Node {
    const node = { index: this.nodes.length, operation, from, next: [] };
    this.nodes.push(node);
    return node;
  }
}

/** A shortest cycle among these nodes, each of which has a predecessor among them. */
export function cycleIn(nodes: ReadonlySet<Node>): Operation[] {
  const previous = new Map<Node, Node>();
  for (const node of nodes) for (const next of node.next) if (nodes.has(next)) previous.set(next, node);
  const walked = new Set<Node>();
  let [start] = nodes;
  while (start !== undefined && !walked.has(start)) {
    walked.add(start);
    start = previous.get(start);
  }
  return start === undefined ? [] : shortestFrom(start).flatMap(({ operation }) => operation ?? []);
}

/** The shortest path from a node back to itself. */
function shortestFrom(start: Node): Node[] {
  const previous = new Map<Node, Node>();
  const found = new Set([start]);
  for (const node of found) {
    for (const next of node.next) {
      if (next === start) return wayTo(node, previous);
      if (!found.has(next)) previous.set(next, node);
      found.add(next);
    }
  }
  return [];
}

function wayTo(node: Node, previous: ReadonlyMap<Node, Node>): Node[] {
  const way: Node[] = [];
  for (let at: Node | undefined = node; at !== undefined; at = previous.get(at)) way.unshift(at);
  return way;
}
