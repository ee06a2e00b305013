/** Opens and reads the database of its argument 50 times, as another program. */
import { Database } from 'bun:sqlite';

const [, , file] = process.argv;
for (let n = 0; n < 50; n++) {
  using db = new Database(file);
  db.prepare('SELECT count(*) FROM notes').all();
}
