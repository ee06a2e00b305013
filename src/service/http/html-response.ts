import type { Context } from 'hono';
import { docsHeaders } from './response-headers.ts';

interface HtmlResponseOptions {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Creates the response for a small page without scripts. `title` and `main` are HTML. */
export function createHtmlResponse(title: string, main: string, { status, headers }: HtmlResponseOptions): Response {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Notes</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`;
  return new Response(html, { status, headers: { ...htmlHeaders, ...headers } });
}

/** Says whether the sender is a browser that displays the response. */
export const acceptsHtml = (c: Context): boolean =>
  /(?:^|[,\s])text\/html(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(c.req.header('accept') ?? '');

/** The colors are those of the page of notes. */
const style = `:root { color-scheme: light dark; font: 1rem/1.5 "Segoe UI", system-ui, sans-serif }
body { display: grid; place-items: center; min-height: 100vh; margin: 0;
  background: light-dark(white, oklch(25% 0.016 252)); color: light-dark(oklch(21% 0.006 286), oklch(98% 0.029 257)) }
form, section { display: grid; gap: 0.75rem; width: min(20rem, 90vw) }
h1 { font-size: 1.25rem; margin: 0 }
p { margin: 0; overflow-wrap: anywhere }
label { display: grid; gap: 0.25rem }
input, button { font: inherit; padding: 0.5625rem 0.75rem; border: 1px solid GrayText; border-radius: 0.5rem }
input { background: none }
button { border-color: transparent; cursor: pointer;
  background: light-dark(oklch(45% 0.24 277), oklch(58% 0.233 277)); color: white }
a { color: inherit }
:focus-visible { outline: 2px solid light-dark(oklch(45% 0.24 277), oklch(74% 0.14 277)); outline-offset: 2px }
input:focus-visible { outline-offset: -1px }`;

const styleHash = Bun.CryptoHasher.hash('sha256', style, 'base64');

const htmlHeaders = {
  ...docsHeaders,
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    `default-src 'none'; img-src data:; style-src 'sha256-${styleHash}'; ` +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'same-origin', // with no-referrer, a form has no origin either
} as const;
