/** A program whose files we do not read, and what to export from it instead. */
export interface KnownProgram {
  /** The program, with an article if it is not a name. */
  readonly program: string;
  /** A sentence, without its end, that says what to export. */
  readonly advice: string;
  /** Whether a file is one of this program, by its path and its first 64 KiB as text. */
  readonly recognizesFile?: (path: string, head: string) => boolean;
  /** Whether the files of a folder or an archive are those of this program. */
  readonly recognizesFolder?: (files: readonly string[]) => boolean;
}

/** The plugin reads what these programs export: https://obsidian.md/plugins?id=obsidian-importer. */
const byObsidian = 'Open it in Obsidian with the plugin Importer, then import the vault';

const textBeginsWithSqliteSignature = (head: string) => head.startsWith('SQLite format 3\0');
const looksLikeJsonMatchingAll = (head: string, ...keys: readonly RegExp[]) =>
  /^\ufeff?\s*[{[]/.test(head) && keys.every((key) => key.test(head));

/**
 * Based on files in public repositories: of SnippetsLab in gustavotrott/inkdrop-import-snippetslab, test.json; of
 * Alfred as dansteeves68/alfred-snippets-from-csv writes them; of Standard Notes, Day One and Zoho Notebook as
 * marph91/jimmy, src/formats, reads them; of Cursor as pppp606/cursor-efficiency, docs/vscdbRelation.md, describes
 * them; of Raycast as christippett/raycast-export-explorer, GEMINI.md, does.
 */
export const knownPrograms: readonly KnownProgram[] = [
  {
    program: 'Evernote',
    advice: byObsidian,
    recognizesFile: (path, head) => /\.enex$/i.test(path) || /^\ufeff?\s*(<[?!][^>]*>\s*)*<en-export\b/.test(head),
  },
  {
    program: 'Apple Notes',
    advice: `Export the notes as Markdown (macOS 26: File, Export as), and import that folder. Or: ${byObsidian}`,
    recognizesFile: (path, head) =>
      /(^|[\\/])NoteStore\.sqlite$/.test(path) ||
      (textBeginsWithSqliteSignature(head) && /\bZICCLOUDSYNCINGOBJECT\b/.test(head)),
  },
  {
    program: 'OneNote',
    advice: byObsidian,
    recognizesFile: (path) => /\.(one|onepkg|onetoc2)$/i.test(path),
  },
  {
    program: 'Standard Notes',
    advice: 'Choose a decrypted backup, unpack it, and import its folder Items/Note',
    recognizesFile: (path, head) =>
      /(^|\/)Items\/(Tag|SN[^/]*)\/[^/]+\.txt$/.test(path) ||
      looksLikeJsonMatchingAll(head, /"items"\s*:\s*\[/, /"content_type"\s*:\s*"/, /"uuid"\s*:/),
  },
  {
    program: 'Notion',
    advice: 'Export “Markdown & CSV” instead of HTML, and import that archive',
    recognizesFile: (_, head) => /<article id="[\da-f-]{32,36}" class="page\b/.test(head),
  },
  {
    program: 'Zoho Notebook',
    advice: byObsidian,
    recognizesFile: (_, head) => /<body\b[^>]*\sdata-notecard=/.test(head),
  },
  {
    program: 'Gemini, as HTML',
    advice: 'In Google Takeout choose JSON for My Activity, and import that archive',
    recognizesFile: (path, head) =>
      /(^|[\\/])(Gemini|Bard)[^\\/]*[\\/][^\\/]*\.html$/i.test(path) ||
      (/class="outer-cell\b/.test(head) && /\b(Gemini|Bard)\b/.test(head)),
  },
  {
    program: 'Day One',
    advice: 'Export the journal as plain text instead of JSON, and import that file',
    recognizesFile: (_, head) =>
      looksLikeJsonMatchingAll(head, /"entries"\s*:\s*\[/, /"creationDate"\s*:/, /"uuid"\s*:/),
  },
  {
    program: 'Cursor',
    advice: 'Choose Export Transcript in the menu of a chat, and import the Markdown file',
    recognizesFile: (_, head) => textBeginsWithSqliteSignature(head) && /\bcursorDiskKV\b/.test(head),
  },
  {
    program: 'VS Code or an editor like it',
    advice: 'Import the folder workspaceStorage, which has a file for each chat',
    recognizesFile: (path, head) =>
      /(^|[\\/])state\.vscdb$/.test(path) || (textBeginsWithSqliteSignature(head) && /\bItemTable\b/.test(head)),
  },
  {
    program: 'Raycast, with all settings',
    advice: 'Run its command Export Snippets, and import the JSON file that it writes',
    recognizesFile: (path) => /\.rayconfig$/i.test(path),
  },
  {
    program: 'SnippetsLab',
    advice: 'Choose Library, Export, and individual files as the format, and import that folder',
    recognizesFile: (path, head) =>
      /\.snippetslablibrary([\\/]|$)/i.test(path) ||
      looksLikeJsonMatchingAll(head, /"(Library Name|contents)"\s*:/, /"snippets"\s*:\s*\[/i, /"fragments"\s*:\s*\[/i),
  },
  {
    program: 'Alfred',
    advice:
      "Convert its snippets by: unzip -p mine.alfredsnippets '*.json' | " +
      "jq -s '[.[][] | {name, text: .snippet, keyword}]' >snippets.json. Then import that file",
    recognizesFile: (_, head) => looksLikeJsonMatchingAll(head, /"alfredsnippet"\s*:\s*\{/i),
  },
  {
    program: 'an office program',
    advice: 'Save the document as a text or as Markdown, and import that',
    recognizesFile: (path) => /\.(docx?|odt|pages|rtf|xlsx?|pptx?)$/i.test(path),
    recognizesFolder: (files) =>
      files.includes('[Content_Types].xml') || (files.includes('mimetype') && files.includes('content.xml')),
  },
];
