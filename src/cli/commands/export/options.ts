/** The formats that notes are written in. */
export const exportFormats = ['ndjson', 'json', 'markdown'] as const;
export type ExportFormat = (typeof exportFormats)[number];
