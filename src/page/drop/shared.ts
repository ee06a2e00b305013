/** What other apps share with the installed page; its service worker keeps it until it is taken here. */
import { pasted } from '../editor/commands.ts';
import { openNew } from '../ui/open-note.ts';

/** Opens a draft of each shared text, and the form or the import of shared files. */
export async function takeShared(): Promise<void> {
  const name = `shared with ${new URL('.', document.baseURI).href}`;
  if (!(await globalThis.caches?.has(name))) return;
  const cache = await caches.open(name);
  for (const request of await cache.keys()) {
    const answer = await cache.match(request);
    if (answer) await take(await answer.formData());
    await cache.delete(request);
  }
  await caches.delete(name);
}

async function take(shared: FormData): Promise<void> {
  const text = (name: string) => String(shared.get(name) ?? '').trim();
  const content = [...new Set([text('text'), text('url')])].filter(Boolean).join('\n');
  const title = text('title');
  if (content !== '' || title !== '') {
    const draft = pasted(content || title);
    openNew({ ...draft, title: title || draft.title });
  }
  const files = shared.getAll('files').filter((file) => file instanceof File);
  const named = files.filter(({ name }) => name !== ''); // without a file, a form sends an empty one
  if (named.length > 0) await (await import('./take-files.ts')).takeFiles(named);
}
