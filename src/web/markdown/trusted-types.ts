/** The names of the browser's Trusted Types, as far as they are used. What it trusts is given on as if it were text. */
interface Policies {
  createPolicy(name: 'notes', rules: Policy): Policy;
}
interface Policy {
  createHTML(html: string): string;
  createScriptURL(url: string): string;
}
declare const trustedTypes: Policies | undefined;

const passThrough: Policy = { createHTML: (html) => html, createScriptURL: (url) => url };

/** The one policy that the page's Content-Security-Policy names. Some browsers know none: there it is plain text. */
const policy = typeof trustedTypes === 'undefined' ? passThrough : trustedTypes.createPolicy('notes', passThrough);

/** Lets the page start the one worker that its document names. */
export const trustedScript = (url: string): string => policy.createScriptURL(url);

/** Lets the page insert HTML. Only for what micromark and highlight.js have made, which escape all that they are given. */
export const trustedHtml = (html: string): string => policy.createHTML(html);
