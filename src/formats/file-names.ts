import type { NoteDraft } from '../core/note.ts';

/** The categories of files by their ending. */
const categoriesByEnding: readonly (readonly [ending: RegExp, category: NoteDraft['category']])[] = [
  [/\.(css|scss|sass|less)$/i, 'css'],
  [/\.(sh|bash|zsh|fish)$/i, 'bash-commands'],
  [/\.prompt$/i, 'prompts'],
];

/** Finds the category of a file by its ending. Returns undefined if the ending has none. */
export const findCategoryByEnding = (name: string): NoteDraft['category'] | undefined =>
  categoriesByEnding.find(([ending]) => ending.test(name))?.[1];

/**
 * Scripts, style sheets and source code. JSON, YAML, TOML, HTML, XML and the like are missing on purpose: programs
 * write them, so that such a file is either in a format that we read, or nothing to make a note of.
 */
const codeEnding =
  /\.(ahk|applescript|astro|awk|bat|c|cc|cjs|cl|clj|cljs|cmd|conf|coffee|cpp|cs|csh|cts|cxx|d|dart|diff|dockerfile|ejs|el|elm|erl|ex|exs|f90|fs|glsl|go|gql|gradle|graphql|groovy|h|hcl|hpp|hrl|hs|ini|java|jl|js|jsx|kql|ksh|kt|kts|lisp|lua|m|mjs|mk|ml|mm|mts|nim|nix|patch|php|pl|pm|postcss|prisma|proto|ps1|psm1|pug|purs|py|r|rb|rkt|rs|scala|scm|service|sol|sql|styl|sv|svelte|swift|tcl|tf|ts|tsx|v|vb|vbs|vim|vue|wgsl|zig)$/i;

/** Files of code whose programs look for this very name. */
const codeName =
  /(^|[\\/])(\.(bash|zsh|ksh)?(rc|env|_?profile|_aliases|_login|_logout)|\.(bashrc|zshrc|kshrc|vimrc|inputrc|tmux\.conf|gitconfig)|Brewfile|Containerfile|Dockerfile|Gemfile|Jenkinsfile|Justfile|Makefile|Procfile|Rakefile|Vagrantfile)$/i;

/** Whether the name of a file says that it is code of which people make notes. */
export const isCodeFileName = (path: string): boolean =>
  codeEnding.test(path) || codeName.test(path) || findCategoryByEnding(path) !== undefined;

/** Whether the name of a file says that it is a text, which may still be the export of a program. */
export const isNonMarkdownTextFileName = (path: string): boolean =>
  /\.(txt|text|adoc|asciidoc|mdc|mdx|org|rst|tex)$/i.test(path);

/** Removes folder and ending from a path. Example: "a/b.test.md" becomes "b.test". */
export const stripFolderAndEnding = (path: string): string =>
  path.replace(/^.*[\\/]/s, '').replace(/(?<=.)\.[^.]+$/, '');

/**
 * Returns the ending of a file name in small letters, with its dot, or an empty text.
 *
 * Example: of "A.MD" it is ".md".
 */
export const getEndingOrEmpty = (path: string): string =>
  /[^\\/](\.[^.\\/\s]{1,12})$/.exec(path)?.[1]?.toLowerCase() ?? '';
