import { execFileSync } from 'node:child_process';

/** Creates a named pipe. Opening it waits until another program opens its other end. */
export const makePipe = (path: string): void => void execFileSync('mkfifo', [path]);
