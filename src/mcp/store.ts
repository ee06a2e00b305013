import type { PortableStore } from '../domain/store.ts';

/** What programs that speak MCP may do with notes. */
export type McpStore = Pick<
  PortableStore,
  'create' | 'get' | 'update' | 'setArchived' | 'history' | 'scan' | 'search' | 'labels'
>;
