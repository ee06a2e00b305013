/** Another program that looks into the database that its argument names, 50 times. */
import { Database } from 'bun:sqlite';

const [, , file] = process.argv;
for (let n = 0; n < 50; n++) {
  using db = new Database(file);
  db.prepare('SELECT count(*) FROM notes').all();
}
