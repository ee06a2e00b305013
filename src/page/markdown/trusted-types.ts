/** The part of the Trusted Types API used here. Trusted values are typed as strings. */
interface Policy {
  createHTML(html: string): string;
  createScriptURL(url: string): string;
}
declare const trustedTypes: { createPolicy(name: 'notes', rules: Policy): Policy } | undefined;

const passThroughRules: Policy = { createHTML: (html) => html, createScriptURL: (url) => url };

/** The only policy allowed by the page's Content-Security-Policy. Browsers without Trusted Types use plain strings. */
const trustedPolicy =
  typeof trustedTypes === 'undefined' ? passThroughRules : trustedTypes.createPolicy('notes', passThroughRules);

export const toTrustedScriptUrl = (url: string): string => trustedPolicy.createScriptURL(url);

export type PageWorkerName = 'renderWorker' | 'diffWorker' | 'searchWorker';

export function startPageWorker(name: PageWorkerName): Worker {
  const path = document.querySelector<HTMLElement>('#app')?.dataset[name] ?? '';
  return new Worker(toTrustedScriptUrl(new URL(path, document.baseURI).href), { type: 'module' });
}

/** Marks HTML as trusted. Only for the output of `renderNote`, which escapes its input. */
export const toTrustedHtml = (html: string): string => trustedPolicy.createHTML(html);
