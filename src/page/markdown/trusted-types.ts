/** The part of the Trusted Types API used here. Trusted values are typed as strings. */
interface Policy {
  createHTML(html: string): string;
  createScriptURL(url: string): string;
}
declare const trustedTypes: { createPolicy(name: 'notes', rules: Policy): Policy } | undefined;

const passThrough: Policy = { createHTML: (html) => html, createScriptURL: (url) => url };

/** The only policy allowed by the page's Content-Security-Policy. Browsers without Trusted Types use plain strings. */
const policy = typeof trustedTypes === 'undefined' ? passThrough : trustedTypes.createPolicy('notes', passThrough);

export const trustedScript = (url: string): string => policy.createScriptURL(url);

export function startWorker(name: 'renderWorker' | 'diffWorker' | 'searchWorker'): Worker {
  const path = document.querySelector<HTMLElement>('#app')?.dataset[name] ?? '';
  return new Worker(trustedScript(new URL(path, document.baseURI).href), { type: 'module' });
}

/** Marks HTML as trusted. Only for the output of micromark and highlight.js, which escape their input. */
export const trustedHtml = (html: string): string => policy.createHTML(html);
