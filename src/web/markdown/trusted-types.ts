/** The browser's Trusted Types, as far as they are used. Trusted values are typed as strings. */
interface Policies {
  createPolicy(name: 'notes', rules: Policy): Policy;
}
interface Policy {
  createHTML(html: string): string;
  createScriptURL(url: string): string;
}
declare const trustedTypes: Policies | undefined;

const passThrough: Policy = { createHTML: (html) => html, createScriptURL: (url) => url };

/** The one policy that the page's Content-Security-Policy names. Browsers without policies use plain strings. */
const policy = typeof trustedTypes === 'undefined' ? passThrough : trustedTypes.createPolicy('notes', passThrough);

/** Allows the page to run a script of its own beside it. */
export const trustedScript = (url: string): string => policy.createScriptURL(url);

/** Starts the worker whose script the document names by its path, which changes with its bytes. */
export function startWorker(name: 'renderWorker' | 'diffWorker' | 'searchWorker'): Worker {
  const path = document.querySelector<HTMLElement>('#app')?.dataset[name] ?? '';
  return new Worker(trustedScript(new URL(path, document.baseURI).href), { type: 'module' });
}

/** Allows the page to insert HTML. Only for the output of micromark and highlight.js, which escape their input. */
export const trustedHtml = (html: string): string => policy.createHTML(html);
