/**
 * Runs SQL from standard input, a JSON string per line, on the database of its first argument, and prints the rows of
 * each as a line of JSON.
 */
import { Database } from 'bun:sqlite';

using db = new Database(process.argv[2]);
db.run('PRAGMA busy_timeout = 10000');
for await (const line of console) {
  const rows = db.prepare(JSON.parse(line)).all();
  console.log(JSON.stringify(rows));
}
