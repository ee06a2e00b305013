/** What a check found, and how to correct it. */
export interface Finding {
  readonly state: 'ok' | 'warning' | 'fault';
  readonly found: string;
  readonly remedy?: string;
}

/** A check stops when the signal aborts. `mayTakeLong`: its time grows with the notes. */
export interface Check {
  readonly name: string;
  readonly run: (signal: AbortSignal | undefined) => Finding | Promise<Finding>;
  readonly mayTakeLong?: boolean;
}

export const ok = (found: string): Finding => ({ state: 'ok', found });
export const warning = (found: string, remedy: string): Finding => ({ state: 'warning', found, remedy });
export const fault = (found: string, remedy: string): Finding => ({ state: 'fault', found, remedy });
