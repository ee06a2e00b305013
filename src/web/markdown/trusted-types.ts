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

/** Allows the page to start the workers that its document names. */
export const trustedScript = (url: string): string => policy.createScriptURL(url);

/** Allows the page to insert HTML. Only for the output of micromark and highlight.js, which escape their input. */
export const trustedHtml = (html: string): string => policy.createHTML(html);
