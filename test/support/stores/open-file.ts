import { openSqlite } from '../../../src/store/sqlite/open.ts';

/** Opens a store in a file on this thread, as commands do, which takes a quarter of the time. */
export const openFile = (path: string) => openSqlite({ path, user: 'command' });
