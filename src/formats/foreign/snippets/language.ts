import type { PortableNote } from '../../../core/note.ts';

const styles = ['css', 'scss', 'sass', 'less', 'stylus', 'postcss'];
const shells = ['sh', 'bash', 'shell', 'shellscript', 'zsh', 'fish', 'powershell', 'batchfile', 'bat'];

/** The category of a snippet by its languages, as named by editors. */
export function categoryOfLanguage(...languages: readonly string[]): PortableNote['category'] {
  if (languages.some((language) => styles.includes(language))) return 'css';
  return languages.some((language) => shells.includes(language)) ? 'bash-commands' : 'notes';
}
