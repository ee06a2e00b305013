/** Internals that no response may contain: a stack, a path of the service, a statement or an engine. */
export const leak = /\bat .+:\d+|node_modules|\/src\/|\.ts\b|\.db\b|SELECT |INSERT |sqlite|Error:/i;
