/** Writes a text to the clipboard, byte for byte. Resolves to whether that succeeded. */
export async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyWithSelection(text); // refused, or plain http to another host, where there is no `navigator.clipboard`
  }
}

/**
 * Works everywhere, within a key press or a click. Something must be selected; the `copy` event then replaces it by the
 * text, because a text area would change line ends.
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
