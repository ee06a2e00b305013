import { resolve } from 'node:path';
import style from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' };
import bundle from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' };
import type { AddRoute } from '../request.ts';
import { docsHeaders, jsonResponseInit } from '../response-headers.ts';

const docsHtml = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Notes: HTTP interface</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
  <div id="docs"></div>
  <script src="docs/swagger-ui-bundle.js"></script>
  <script src="docs/start.js"></script>
</body>
</html>
`;

/**
 * With BaseLayout and without a validator, Swagger UI obeys the content security policy and requests no foreign hosts.
 */
const startScript = `const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
document.documentElement.classList.toggle('dark-mode', isDark);
SwaggerUIBundle({ url: 'openapi.json', dom_id: '#docs', layout: 'BaseLayout', validatorUrl: null });
`;

/** The paths of these files are relative to this module, and absolute in the compiled executable. */
const assetPaths = { 'swagger-ui.css': style, 'swagger-ui-bundle.js': bundle };

const htmlHeaders = { ...docsHeaders, 'Content-Type': 'text/html; charset=utf-8' };
const scriptHeaders = { ...docsHeaders, 'Content-Type': 'text/javascript; charset=utf-8' };

/** Adds the OpenAPI document and Swagger UI. */
export function addDocsRoutes(on: AddRoute): void {
  on('GET', '/openapi.json', async () => {
    const { openApiJson } = await import('./openapi-document.ts'); // on demand: it took a tenth of the start
    return new Response(openApiJson, jsonResponseInit);
  });
  on('GET', '/docs', () => new Response(docsHtml, { headers: htmlHeaders }));
  on('GET', '/docs/start.js', () => new Response(startScript, { headers: scriptHeaders }));
  for (const [asset, path] of Object.entries(assetPaths)) {
    const file = Bun.file(resolve(import.meta.dir, path));
    const headers = { ...docsHeaders, 'Content-Type': file.type };
    on('GET', `/docs/${asset}`, () => new Response(file, { headers }));
  }
}
