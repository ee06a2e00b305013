/** The service's own counters, which show what the load generator cannot see. */

export interface Counters {
  readonly commits: number;
  /** Writes that these commits made durable. */
  readonly writes: number;
  readonly commitSeconds: number;
  /** Notes in the store. */
  readonly stored: number;
  /** Answers with another status than 200. */
  readonly refused: number;
}

/** Reads `/metrics`. Throws if a metric is missing: a renamed one must not count as 0. */
export async function readCounters(url: string): Promise<Counters> {
  const response = await fetch(`${url}/metrics`);
  if (response.status !== 200) throw new Error(`/metrics was answered with ${response.status}`);
  const text = await response.text();
  return {
    commits: figure(text, 'notes_commit_writes_count'),
    writes: figure(text, 'notes_commit_writes_sum'),
    commitSeconds: figure(text, 'notes_commit_duration_seconds_sum'),
    stored: figure(text, 'notes_stored'),
    refused: refusedIn(text),
  };
}

export const difference = (after: Counters, before: Counters): Counters => ({
  commits: after.commits - before.commits,
  writes: after.writes - before.writes,
  commitSeconds: after.commitSeconds - before.commitSeconds,
  stored: after.stored - before.stored,
  refused: after.refused - before.refused,
});

function figure(text: string, name: string): number {
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
  if (value === undefined) throw new Error(`/metrics lacks ${name}`);
  return Number(value);
}

function refusedIn(text: string): number {
  const counts = [...text.matchAll(/^notes_http_requests_total\{.*status="(\d+)"\} (\d+)$/gm)];
  if (counts.length === 0) throw new Error('/metrics lacks notes_http_requests_total');
  return counts.filter(([, status]) => status !== '200').reduce((sum, [, , count]) => sum + Number(count), 0);
}
