/** Runs the SQL that it is told, a JSON string per line, on the database that its first argument names. */
import { Database } from 'bun:sqlite';

using db = new Database(process.argv[2]);
db.run('PRAGMA busy_timeout = 10000');
for await (const line of console) {
  db.run(JSON.parse(line));
  console.log('done');
}
