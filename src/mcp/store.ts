import type { PortableStore } from '../domain/store.ts';

/** The operations available over MCP. */
export type McpStore = Pick<
  PortableStore,
  'create' | 'get' | 'update' | 'setArchived' | 'history' | 'scan' | 'search' | 'labels'
>;
