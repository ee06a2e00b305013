type Rights = 'full' | 'read';

export interface AccessToken {
  readonly name: string;
  readonly rights: Rights;
  readonly token: string;
}

const line = /^(?:([\w-]{1,40})\s+(full|read)\s+)?([\x21-\x7e]{16,256})$/;

/** Parses one token, or one per line; `off` for none. Throws an error that completes "… must be". */
export function parseAccessTokens(text: string): readonly AccessToken[] {
  if (text === 'off') return [];
  const lines = text.split('\n').map((one) => one.trim());
  const tokens = lines.filter((one) => one !== '' && !one.startsWith('#')).map(tokenIn);
  const isDistinct = new Set(tokens.map(({ name }) => name)).size === tokens.length;
  if (tokens.length > 0 && isDistinct) return tokens;
  throw mistake();
}

function tokenIn(text: string): AccessToken {
  const [, name = 'owner', rights = 'full', token] = line.exec(text) ?? [];
  if (token === undefined) throw mistake();
  return { name, rights: rights === 'read' ? 'read' : 'full', token };
}

const mistake = () =>
  new Error('a token of 16 to 256 visible ASCII characters, or lines like "<name> full|read <token>", or off');
