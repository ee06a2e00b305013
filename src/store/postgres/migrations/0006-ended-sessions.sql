-- Sessions of browsers that were ended before their time, until they would have ended by themselves (ms since 1970).
CREATE TABLE ended_sessions (
  id      text PRIMARY KEY,
  ends_at bigint NOT NULL
);
CREATE INDEX ended_sessions_by_end ON ended_sessions (ends_at);
