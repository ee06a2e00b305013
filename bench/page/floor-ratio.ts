/** How many times as long the page takes as the floor, measured in turns. */
import { type Figure, getMedian } from '../tools/table.ts';

/** What one round has measured in the page and in the floor, in ms. */
export interface Round {
  readonly page: number;
  readonly floor: number;
}

/** A floor that differs by more than this factor between rounds says that the machine was busy with something else. */
const steadyFactor = 1.5;

/** The median of the ratios of the rounds with its bar, and the medians in ms of which it consists. */
export function createRatioFigures(name: string, rounds: readonly Round[], bar: number): Figure[] {
  const floors = rounds.map(({ floor }) => floor);
  return [
    {
      name: `${name}, to the floor`,
      value: getMedian(rounds.map(({ page, floor }) => page / floor)),
      unit: '×',
      bar,
      digits: 2,
      isFloorNoisy: Math.max(...floors) > steadyFactor * Math.min(...floors),
    },
    { name: `${name}: page`, value: getMedian(rounds.map(({ page }) => page)), unit: 'ms', digits: 1 },
    { name: `${name}: floor`, value: getMedian(floors), unit: 'ms', digits: 1 },
  ];
}
