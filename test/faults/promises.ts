/** A fault, the promises during and after it, and the suite in this folder that checks them. */
export interface Promised {
  readonly fault: string;
  readonly promise: string;
  readonly suite: string;
}

/** By the numbers under which suites report their figures. */
export const promises: Readonly<Record<number, Promised>> = {
  1: {
    fault: 'kill -9 under the load of 64 clients, 20 times',
    promise: 'of 50,000 acknowledged writes none is lost, none is there twice; the integrity check is clean',
    suite: 'crash',
  },
  2: {
    fault:
      'power cut at any moment of recorded runs (stops, kills, checkpoints beside commits): unsynced changes kept, ' +
      'dropped, torn, in any order',
    promise:
      'in every image all that was answered or shown is there, with its history, no merge in part; the integrity ' +
      'check is clean; a control without syncs of the log loses notes',
    suite: 'power-cut',
  },
  3: {
    fault: 'syncs and writes fail',
    promise: 'no acknowledged write is lost; only 200 and 500; ends with 1 within 1 s of a failed sync',
    suite: 'io-errors',
  },
  4: {
    fault: 'the disk is full, then has room again',
    promise: 'writes 500, reads 200; writes 200 again within 1 s',
    suite: 'disk-full',
  },
  8: {
    fault: 'a second service on the same file',
    promise: 'refused within 2 s with the remedy; starts within 2 s after kill -9 of the first',
    suite: 'two-servers',
  },
  12: {
    fault: 'bodies 1 byte below, at and above the limit, and of 100 times the limit, by length and chunked',
    promise: 'stored, or 400 with the limit; memory stays bounded',
    suite: 'bodies',
  },
  13: {
    fault:
      'slow headers, stalled bodies, hanging uploads; 5,000 idle connections, 5,000 half headers, 1,000 half bodies',
    promise: 'others within 100 ms (p99), 200 MB at most, none left after the timeouts; slow honest clients are served',
    suite: 'slow-clients',
  },
  14: {
    fault: 'SIGTERM under load, 20 times',
    promise: 'every accepted request is answered; exit code 0',
    suite: 'stop',
  },
  15: {
    fault: '1,000 lists whose 64 readers leave and come back at once, and readers who take nothing',
    promise: 'each list begins with 200; no snapshot, transaction, descriptor or byte is leaked',
    suite: 'streams',
  },
  17: {
    fault: '10,000 fuzzed requests',
    promise: 'each is answered validly or with an error that shows no stack, path or SQL; no crash',
    suite: 'fuzz',
  },
  19: {
    fault: 'kill -9 of a process of PostgreSQL under load, 10 times',
    promise: 'no acknowledged write is lost, none is there twice; writes 200 again within 2 s',
    suite: 'postgres-crash',
  },
  20: {
    fault: 'kill -9 of all PostgreSQL, and its fast shutdown, under load, 10 times each',
    promise: 'the same; while it is away, not ready within 3 s of asking, and alive',
    suite: 'postgres-crash',
  },
  21: {
    fault: 'the connection to PostgreSQL is cut before or after the commit of a write, 50 times each',
    promise: 'the write is answered 500 with an unknown outcome, is there at most once, and is not tried again',
    suite: 'postgres-cut',
  },
  22: {
    fault: 'PostgreSQL is frozen for half a deadline, and for five of them',
    promise: 'no request outlives the deadline by 1 s; nothing lost, nothing twice; writes 200 again within 2 s',
    suite: 'postgres-frozen',
  },
  23: {
    fault: 'the primary is killed and its synchronous standby takes over behind one address, 5 times',
    promise: 'no acknowledged write is lost; none is acknowledged before the standby is promoted',
    suite: 'postgres-failover',
  },
  24: {
    fault: 'kill -9 of one of three instances on one database, 10 times',
    promise: 'only requests to it are not answered; no write is lost or twice, no id is given twice',
    suite: 'postgres-instances',
  },
  25: {
    fault: 'another session locks a tenth of the notes for 2.5 deadlines',
    promise:
      'other notes are written as before, no session waits; no request outlives the deadline by 1 s; ' +
      'nothing lost, nothing twice',
    suite: 'postgres-locks',
  },
  27: {
    fault: '200 backups as by `notes backup` beside 32 clients that create',
    promise: 'a backup has all that was answered before it began',
    suite: 'backup-cli',
  },
  28: {
    fault: 'clients read and write the same few notes at once; beside another program, and through two services',
    promise: 'there is one order of all requests that keeps time and explains every answer',
    suite: 'contention',
  },
  29: {
    fault: 'another program checkpoints slowly; the database is touched',
    promise: 'the service goes on and answers every write',
    suite: 'foreign-checkpoint',
  },
  30: {
    fault: 'a sync fails, and Linux then shows pages that are not on disk; restarts, room again, a power cut',
    promise: 'reads 200; writes 500 until all of the log is on disk, then 200; of the answered ones none is lost',
    suite: 'lost-pages',
  },
  31: {
    fault: 'each sync takes 2 s, also those with which the log is begun anew',
    promise: 'what needs no disk is answered without waiting for a sync',
    suite: 'slow-syncs',
  },
  32: {
    fault: 'a worker of Citus crashes under the load of 64 clients, and the coordinator, 5 times each',
    promise: 'no acknowledged write is lost, none is there twice; writes 200 again',
    suite: 'citus',
  },
  33: {
    fault: 'shards of Citus move and workers crash beside clients that write through one of two instances',
    promise: 'of 100,000 lists and notes that the other one shows right afterwards, none is older than the write',
    suite: 'citus',
  },
  34: {
    fault: 'shards of Citus move and workers crash beside 16 clients that write through two instances',
    promise: 'a listener of events hears of each of 20,000 acknowledged writes, or of a later one of the same note',
    suite: 'citus',
  },
  35: {
    fault: 'a worker of Citus crashes while `notes migrate` moves 10,000 notes there, 5 times',
    promise: 'the command fails and says that it can be run again, and then moves all notes, or has moved all',
    suite: 'citus',
  },
};
