/**
 * What other apps and pages share with the installed page. The service worker stores it, whoever sent it: it cannot know
 * whether that was the person, or a foreign page that posted a form. So it waits until the person has decided.
 */
import { closeDialog, dialog, openDialog, type Share } from './dialog.ts';
import { when } from './effects.ts';
import { notify } from './notifications.ts';

const cacheName = `shared with ${new URL('.', document.baseURI).href}`;

/** The longest name of a share in a message, in characters. */
const maxNameLength = 40;

/** Shows the oldest waiting share in a dialog, once no other dialog is open. */
export async function offerShare(): Promise<void> {
  const [share] = await readShares();
  if (!share) return;
  when(
    () => dialog.value === undefined,
    () => openDialog({ kind: 'share', share }),
  );
}

let hideReminder = () => {};

/** Says that a share still waits, if one does. */
export async function remindOfShare(): Promise<void> {
  const [share] = await readShares();
  hideReminder();
  if (!share) return;
  const action = { label: 'Show', run: () => void offerShare() };
  hideReminder = notify(`Shared, neither kept nor discarded: ${formatShareName(share)}`, { kind: 'notice', action });
}

function formatShareName({ title, content, files }: Share): string {
  const name = (title || content || files[0]?.name || '').trim();
  return `“${name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name}”`;
}

/** The waiting shares, oldest first. */
async function readShares(): Promise<readonly Share[]> {
  if (!(await globalThis.caches?.has(cacheName))) return [];
  const cache = await caches.open(cacheName);
  const shares: Share[] = [];
  for (const request of await cache.keys()) {
    const stored = await cache.match(request);
    const share = stored && (await parseShare(request.url, stored).catch(() => undefined)); // damaged, or cut short
    if (share) shares.push(share);
    else await cache.delete(request);
  }
  return shares;
}

/** Undefined if there is nothing in it. */
async function parseShare(key: string, stored: Response): Promise<Share | undefined> {
  const fields = await stored.formData();
  const readText = (name: string) => {
    const value = fields.get(name);
    return typeof value === 'string' ? value.replace(/\r\n?/g, '\n').trim() : '';
  };
  const title = readText('title');
  const content = [...new Set([readText('text'), readText('url')])].filter(Boolean).join('\n');
  const files = fields.getAll('files').filter((file) => file instanceof File);
  const named = files.filter(({ name }) => name !== ''); // without a file, a form sends an empty one
  if (title === '' && content === '' && named.length === 0) return undefined;
  return { key, title, content, files: named, senderHost: stored.headers.get('sender-host') ?? undefined };
}

/** Whether a share still waits: it does not once it was kept or discarded in another tab. */
export async function isShareWaiting({ key }: Share): Promise<boolean> {
  return (await readShares()).some((share) => share.key === key);
}

export async function deleteShare({ key }: Share): Promise<void> {
  const cache = await caches.open(cacheName);
  await cache.delete(key);
  if ((await cache.keys()).length === 0) await caches.delete(cacheName);
}

export async function discardShare(share: Share): Promise<void> {
  closeDialog();
  await deleteShare(share);
  await remindOfShare();
}
