/**
 * What other apps and pages share with the installed page. The service worker stores it, whoever sent it: it cannot
 * know whether that was the person, or a foreign page that posted a form. So it waits until the person has decided.
 */
import { closeDialog, dialog, openDialog, type Share } from './dialog.ts';
import { notify } from './notifications.ts';
import { runOnceWhen } from './signal-helpers.ts';

const sharesCacheName = `shared with ${new URL('.', document.baseURI).href}`;

/** The longest name of a share in a message, in characters. */
const maxNameLength = 40;

/** Shows the oldest waiting share in a dialog, once no other dialog is open. */
export async function openOldestShareWhenClosed(): Promise<void> {
  const [share] = await readSharesAndDeleteDamaged();
  if (!share) return;
  runOnceWhen(
    () => dialog.value === undefined,
    () => openDialog({ kind: 'share', share }),
  );
}

let dismissReminder = () => {};

/** Says that a share still waits, if one does. */
export async function notifyWaitingShare(): Promise<void> {
  const [share] = await readSharesAndDeleteDamaged();
  dismissReminder();
  if (!share) return;
  const action = { label: 'Show', run: () => void openOldestShareWhenClosed() };
  dismissReminder = notify(`Shared, neither kept nor discarded: ${formatQuotedShareName(share)}`, {
    kind: 'notice',
    action,
  });
}

function formatQuotedShareName({ title, content, files }: Share): string {
  const name = (title || content || files[0]?.name || '').trim();
  return `“${name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name}”`;
}

/** The waiting shares, oldest first. */
async function readSharesAndDeleteDamaged(): Promise<readonly Share[]> {
  if (!(await globalThis.caches?.has(sharesCacheName))) return [];
  const cache = await caches.open(sharesCacheName);
  const shares: Share[] = [];
  for (const request of await cache.keys()) {
    const stored = await cache.match(request);
    const share = stored && (await readShareUnlessEmpty(request.url, stored).catch(() => undefined)); // damaged, or cut short
    if (share) shares.push(share);
    else await cache.delete(request);
  }
  return shares;
}

/** Undefined if there is nothing in it. */
async function readShareUnlessEmpty(key: string, stored: Response): Promise<Share | undefined> {
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
  return (await readSharesAndDeleteDamaged()).some((share) => share.key === key);
}

export async function deleteShare({ key }: Share): Promise<void> {
  const cache = await caches.open(sharesCacheName);
  await cache.delete(key);
  if ((await cache.keys()).length === 0) await caches.delete(sharesCacheName);
}

export async function deleteShareAndNotifyNext(share: Share): Promise<void> {
  closeDialog();
  await deleteShare(share);
  await notifyWaitingShare();
}
