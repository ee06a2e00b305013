import type { AccessTokenFile } from '../config/config.ts';
import { getErrorMessage } from '../core/thrown-errors.ts';
import type { Access } from './http/access/access.ts';
import type { Log } from './log.ts';

/** The access tokens of a running service are read again by these functions. */
export interface TokenReload {
  /** Calls back at each request to read them. */
  readonly onSignal: (listener: () => void) => void;
  /** Returns undefined if no file has them. Throws an error that says why the file cannot be used, without its text. */
  readonly readTokens: () => AccessTokenFile | undefined;
}

/**
 * Reads the tokens again whenever that is requested, one request after the other; during the start, once it has ended.
 * `started` has the access of the service, or undefined if everybody has access.
 */
export function reloadTokensOnSignal(
  { onSignal: onRequest, readTokens }: TokenReload,
  started: Promise<Access | undefined>,
  log: Log,
): void {
  let last: Promise<unknown> = started;
  onRequest(() => {
    last = last.then(async () => reloadTokensAndLog(await started, readTokens, log));
  });
}

async function reloadTokensAndLog(access: Access | undefined, readTokens: TokenReload['readTokens'], log: Log) {
  try {
    const file = readTokens();
    if (file === undefined) return log.info({}, 'SIGHUP: no ACCESS_TOKEN_FILE is set, so nothing is read again');
    const { tokens, warning } = file;
    if (warning !== undefined) log.warn({}, warning);
    if ((access === undefined) !== (tokens.length === 0)) throw new Error('only a restart can turn tokens on or off');
    await access?.replaceTokens(tokens);
    log.info({ tokens: tokens.map(({ name, rights }) => `${name} ${rights}`) }, 'The access tokens were read again');
  } catch (error) {
    const reason = getErrorMessage(error);
    log.error({ reason }, `The access tokens stay as they were: ${reason}`);
  }
}
