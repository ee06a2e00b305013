/** Released steps never change, since databases have taken them. Put changes into a new file, and pin it here. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { CryptoHasher, Glob } from 'bun';
import { migrations as postgres } from './postgres/postgres-migrations.ts';
import { migrations as sqlite } from './sqlite/sqlite-migrations.ts';

/** SHA-256 of the file of each step, in order. */
const released = {
  sqlite: {
    '0001-notes.sql': '5b85f97b4cfe5db066c5a6debf9ac4fde794f3102b8a204b241ff1c616883e32',
    '0002-index-by-id-range.sql': '74f370e54662cd55e4c526de5a1637e1c91bb79ca337f4ddec32fc3261a84a70',
    '0003-note-versions.sql': '7f5878bc58917591f509ad1ba091425f5a05dd5f35bf0c162bc760f6dbabe0c6',
    '0004-group-labels.sql': 'dd4d2594447ce7354e236634099bdf7685eee2860a896c4e3afc02502a93be0b',
    '0005-note-origins.sql': '6bd69f88ac26c7b6c0d1379a5d547db70b9093c85529107244253c5efd87b9d1',
    '0006-version-chain.sql': 'e0da97c8654087e7a339567ece4df063635d78d2849e57502c6432ee75662617',
    '0007-ended-sessions.sql': '6f9fd016f7f7b60456e1973182a44c2f6608c5bfc6029a42ac1fb47584e8435a',
    '0008-pins.sql': '1cebe166e0c43a5c883ddc189831b6e4f820b8c51e29fe49fc57231a86b7b3c9',
    '0009-category-labels.sql': '898f6b024f8f1e319513a09bd5b52a0a854a875075c52ecf7145941cd0324f19',
  },
  postgres: {
    '0001-notes.sql': 'c27deb3b68f7b5265ed770cf1d57f1c5836ea02c51ecf0b491e24021dd8cd676',
    '0002-note-changes.sql': 'da204725c6e51c34a6c8e2ef806bf53079a747ec792874d1a89eed833066b054',
    '0003-note-versions.sql': '7deb3bc714c07ac81ff0c2548c6eb7800652a76e45e5f5025fb35c993197ee8b',
    '0004-group-labels.sql': '885eb373bbf8b1fe9affe87cb3152f72ffa9cfa0173b7e10a2d54bba49e92afd',
    '0005-note-origins.sql': '4683938979cbd422b50acf93efdf766ea7914cd082e1af54cb1199895d1818b3',
    '0006-ended-sessions.sql': 'fa9526614b6fe4288a2836ce4acf7982f9af983c0484f95f3c2911aa0aa54079',
    '0007-pins.sql': 'b5f2b5b8982a589ab09cd376db2e0e985d4dd7d3e3ba957d0d2244a06c3d1e57',
    '0008-category-labels.sql': 'a8dca8ba7d95bfe72cb1047a18c5f174a20d578aab64884cabc7a9b4f6212cf4',
    '0009-distributed-changes.sql': '986943a63af2d25277dfe0fa13663092cb4fcbd30012e2247591f28a747849ed',
    '0010-write-on-node.sql': '1dae0441ad9edee1b05c3b7e8dede8ed114789befe2ebf720de38ea6b9e1f4d2',
    '0011-logged-times.sql': 'dd895ca14395c429188f7ceeff072f305d889e07074007bc007ad80e08220339',
  },
};

const steps = { sqlite, postgres: postgres.map(({ sql }) => sql) };

const computeSha256 = (text: string) => new CryptoHasher('sha256').update(text).digest('hex');

test.each(['sqlite', 'postgres'] as const)(
  'the released steps of %s are those that databases have taken',
  async (engine) => {
    const folder = join(import.meta.dir, engine, 'migrations');
    const names = [...new Glob('*').scanSync(folder)].toSorted();
    const files = await Promise.all(names.map((name) => Bun.file(join(folder, name)).text()));

    const hashes = Object.fromEntries(files.map((text, index) => [names[index], computeSha256(text)]));

    expect(hashes, 'A released step never changes: leave its file as it was and add a new one').toEqual(
      released[engine],
    );
    expect([...steps[engine]]).toEqual(files);
  },
);
