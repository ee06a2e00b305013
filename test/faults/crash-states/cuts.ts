/** The possible fates of unsynced changes after a power cut. */
import type { Random } from '../../support/random.ts';
import { allKept, type Change, type Fate, type Fates } from './fragile-files.ts';

export interface Cut {
  readonly name: string;
  readonly fates: Fates;
}

/** All cuts if there are at most `count`; else some of them, a third of which apply to all changes. */
export function someCuts(changes: readonly Change[], count: number, random: Random): Cut[] {
  const cuts = changes.length === 0 ? simple.slice(0, 1) : cutsOf(changes, random);
  const pick = () => random.below(random.below(3) === 0 ? Math.min(simple.length, cuts.length) : cuts.length);
  const picked = cuts.length <= count ? cuts.keys() : Array.from({ length: count }, pick);
  return [...new Set(picked)].flatMap((index) => cuts[index]?.() ?? []);
}

type MakeCut = () => Cut;

const simple: readonly MakeCut[] = [
  () => ({ name: 'all kept', fates: allKept }),
  () => ({ name: 'nothing kept', fates: () => 'dropped' }),
  () => ({ name: 'only names and sizes kept', fates: ({ kind }) => (kind === 'name' ? 'kept' : 'size') }),
];

const mixtures = 8;

const cutsOf = (changes: readonly Change[], random: Random): readonly MakeCut[] => [
  ...simple,
  ...changes.flatMap((change) =>
    change.kind === 'write' ? [...ofAny(change), ...ofWrite(change, random)] : ofAny(change),
  ),
  ...Array.from({ length: mixtures }, () => () => mixture(changes, random)),
];

const ofAny = (chosen: Change): readonly MakeCut[] => [
  () => ({ name: `${nameOf(chosen)} alone dropped`, fates: alone(chosen, 'dropped', 'kept') }),
  () => ({ name: `${nameOf(chosen)} alone kept`, fates: alone(chosen, 'kept', 'dropped') }),
  () => ({ name: `kept up to ${nameOf(chosen)}`, fates: ({ at }) => (at <= chosen.at ? 'kept' : 'dropped') }),
];

const ofWrite = (chosen: Change, random: Random): readonly MakeCut[] => [
  () => ({ name: `${nameOf(chosen)} torn at 512 bytes`, fates: alone(chosen, torn(512, random), 'kept') }),
  () => ({ name: `${nameOf(chosen)} torn at 4,096 bytes`, fates: alone(chosen, torn(4_096, random), 'kept') }),
  () => ({ name: `a part of ${nameOf(chosen)} alone kept`, fates: alone(chosen, torn(512, random), 'dropped') }),
  () => ({ name: `${nameOf(chosen)} kept as a size`, fates: alone(chosen, 'size', 'kept') }),
];

const alone =
  (chosen: Change, fate: Fate, others: Fate): Fates =>
  (change) =>
    change === chosen ? fate : others;

function nameOf(change: Change): string {
  if (change.kind === 'name') return `${change.file ? 'the new name' : 'the end of'} ${change.path}`;
  const at = change.kind === 'write' ? `write at ${change.offset}` : `resize to ${change.size}`;
  return `${at} (operation ${change.at})`;
}

/** The start, the end or random sectors of a write. */
function torn(sector: 512 | 4_096, random: Random): Fate {
  const from = 1 + random.below(8);
  const mixed = random.below(2 ** 32);
  const isPicked = (index: number) => (Math.imul(mixed ^ index, 0x9e3779b1) >>> 16) % 2 === 0;
  return { sector, keeps: random.pick([(index) => index < from, (index) => index >= from, isPicked]) };
}

function mixture(changes: readonly Change[], random: Random): Cut {
  const kept = random.below(10);
  const fateOf = () =>
    random.below(10) < kept ? 'kept' : random.pick<Fate>(['dropped', 'dropped', 'size', torn(512, random)]);
  const fates = new Map(changes.map((change) => [change, fateOf()]));
  return { name: 'any kept', fates: (change) => fates.get(change) ?? 'kept' };
}
