/** Writes a text to the clipboard, byte for byte. Resolves to whether that succeeded. */
export async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyWithSelection(text); // denied, or `navigator.clipboard` is missing (http to another host)
  }
}

/**
 * Works in every browser, but only during a key press or a click. Needs a selection, which the `copy` handler replaces
 * by the text; copying from a text area would change line ends.
 */
function copyWithSelection(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.value = '.';
  area.className = 'fixed opacity-0';
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  const write = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
  };
  area.addEventListener('copy', write);
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return isCopied;
}
