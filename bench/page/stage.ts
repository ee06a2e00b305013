/** What all measurements of the page share. */
import type { Service } from '../../test/support/service.ts';

/** The address of a service, or of the relay before it. */
export type Address = Pick<Service, 'url'>;

export const viewport = { width: 1440, height: 900 };
