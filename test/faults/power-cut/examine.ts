/** Cuts the power at moments of a recording, and checks what may be left on disk. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Random } from '../../support/random.ts';
import { type Change, Disk, dropped, type Fate, type Fates, kept } from './disk.ts';
import { Promises } from './promises.ts';
import { folderItself, type Operation } from './recording.ts';

export interface Findings {
  /** How many different images were checked. */
  images: number;
  readonly broken: string[];
}

/** Checks about `count` images: a third at any moment, the others at what is rare. */
export async function examineImagesAfterPowerCuts(
  operations: readonly Operation[],
  { count, random, maxVersions }: { readonly count: number; readonly random: Random; readonly maxVersions: number },
): Promise<Findings> {
  const moments = countImagesPerOperation(operations, count, random);
  const home = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'notes-test-'));
  const folder = join(home, 'image');
  const [disk, promises] = [new Disk(), new Promises(maxVersions)];
  const findings: Findings = { images: 0, broken: [] };
  let seen = new Set<string>();
  try {
    for (const [index, operation] of operations.entries()) {
      disk.apply(operation);
      if (operation.kind === 'mark') {
        promises.recordMark(operation.mark);
        seen = new Set();
      }
      for (let left = moments.get(index) ?? 0; left > 0; left--) {
        const { name, fates } = pickFates(disk.pending(), random);
        const image = disk.image(fates);
        const hash = hashImage(image);
        if (seen.has(hash)) continue;
        seen.add(hash);
        findings.images++;
        rmSync(folder, { recursive: true, force: true });
        mkdirSync(folder);
        for (const [file, bytes] of image) writeFileSync(join(folder, file), bytes);
        const moment = `after operation ${index} (${operation.kind}), ${name}`;
        findings.broken.push(...(await promises.openAndFindBreaches(folder)).map((breach) => `${moment}: ${breach}`));
      }
    }
  } finally {
    rmSync(home, { recursive: true });
  }
  return findings;
}

/** How many images are made after each operation, by its index. */
function countImagesPerOperation(operations: readonly Operation[], count: number, random: Random): Map<number, number> {
  const kindOf = (operation: Operation) => {
    if (operation.kind === 'mark') return operation.mark.kind;
    return operation.name === folderItself ? 'names' : operation.kind;
  };
  const at = (...those: readonly string[]) =>
    [...operations.keys()].filter((index) =>
      operations.slice(index, index + 2).some((one) => those.includes(kindOf(one))),
    );
  const kinds = [[...operations.keys()], at('sync'), at('create', 'unlink', 'names', 'resize', 'read')];
  const moments = new Map<number, number>();
  for (let made = 0; made < count; made++) {
    const among = kinds[made % kinds.length] ?? [];
    const index = among[random.below(among.length)] ?? 0;
    moments.set(index, 1 + (moments.get(index) ?? 0));
  }
  return moments;
}

/** Fates of changes that are not synced, in one of the ways in which disks lose them. */
function pickFates(changes: readonly Change[], random: Random): { readonly name: string; readonly fates: Fates } {
  const chosen = random.below(changes.length);
  const tornOne = createTornFate(random);
  const any = () => random.pick<Fate>([kept, kept, dropped, createTornFate(random)]);
  const [name, fateAt] = random.pick<[string, (index: number) => Fate]>([
    ['all kept', () => kept],
    ['nothing kept', () => dropped],
    ['kept up to one', (index) => (index <= chosen ? kept : dropped)],
    ['all but one', (index) => (index === chosen ? dropped : kept)],
    ['one torn', (index) => (index === chosen ? tornOne : kept)],
    ['one kept', (index) => (index === chosen ? kept : dropped)],
    ['any kept', any],
  ]);
  const fates = new Map(changes.map((change, index) => [change, fateAt(index)]));
  return { name: `${name} of ${changes.length}`, fates: (change) => fates.get(change) ?? kept };
}

/** The beginning, the end or any sectors of a change. */
function createTornFate(random: Random): Fate {
  const from = 1 + random.below(8);
  const mixed = random.below(2 ** 32);
  const isPicked = (sector: number) => (Math.imul(mixed ^ sector, 0x9e3779b1) >>> 16) % 2 === 0;
  const keeps = random.pick([(sector: number) => sector < from, (sector: number) => sector >= from, isPicked]);
  return { keeps, grows: random.below(2) === 0 };
}

const hashImage = (image: ReadonlyMap<string, Uint8Array>) =>
  [...image].map(([name, bytes]) => `${name} ${Bun.hash(bytes)}`).join();
