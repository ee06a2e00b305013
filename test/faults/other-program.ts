/**
 * Runs the SQL that it is told, a JSON string per line, on the database that its first argument names, and tells the rows
 * that came of it in the same way.
 */
import { Database } from 'bun:sqlite';

using db = new Database(process.argv[2]);
db.run('PRAGMA busy_timeout = 10000');
for await (const line of console) {
  const rows = db.prepare(JSON.parse(line)).all();
  console.log(JSON.stringify(rows));
}
