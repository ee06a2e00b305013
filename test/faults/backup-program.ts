/** Copies a database as another program; its arguments are the file and the copy. */
import { Database } from 'bun:sqlite';

const [, , file = '', copy = ''] = process.argv;
using db = new Database(file);
db.run('VACUUM INTO ?', [copy]);
