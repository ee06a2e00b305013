/** Content codings that are made on the fly, the preferred one first. */
export const codings = ['zstd', 'gzip'] as const;
export type Coding = (typeof codings)[number];

/** The best coding that an `Accept-Encoding` header allows (RFC 9110, 12.5.3); undefined means as it is. */
export function codingFor(accepted: string | null): Coding | undefined {
  if (accepted === null) return undefined;
  const weights = new Map(accepted.split(',').map(weighted));
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0;
  const plain = weights.get('identity') ?? 0;
  const best = Math.max(...codings.map(weightOf));
  return best > 0 && best >= plain ? codings.find((coding) => weightOf(coding) === best) : undefined;
}

function weighted(item: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return [coding, Number(weight) || 0];
}
