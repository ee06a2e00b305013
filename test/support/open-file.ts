import { openSqlite } from '../../src/store/sqlite/open.ts';

/** The notes in a file, to store some or to look: on this thread, as commands open it, in a quarter of the time. */
export const openFile = (path: string) => openSqlite({ path, onThread: false });
