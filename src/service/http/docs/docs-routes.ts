import { resolve } from 'node:path';
import style from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' };
import bundle from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' };
import type { AddRoute } from '../request.ts';
import { docsHeaders, jsonAnswer } from '../response-headers.ts';

const page = `<!doctype html>
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

/** BaseLayout and no validator: keeps to the content security policy and requests no foreign hosts. */
const start = `const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
document.documentElement.classList.toggle('dark-mode', isDark);
SwaggerUIBundle({ url: 'openapi.json', dom_id: '#docs', layout: 'BaseLayout', validatorUrl: null });
`;

/** Paths of files, relative to this module; absolute in the compiled executable. */
const assets = { 'swagger-ui.css': style, 'swagger-ui-bundle.js': bundle };

const html = { ...docsHeaders, 'Content-Type': 'text/html; charset=utf-8' };
const script = { ...docsHeaders, 'Content-Type': 'text/javascript; charset=utf-8' };

/** Adds the OpenAPI document and Swagger UI. */
export function addDocsRoutes(on: AddRoute): void {
  on('GET', '/openapi.json', async () => {
    const { openApiJson } = await import('./openapi-document.ts'); // on demand: it took a tenth of the start
    return new Response(openApiJson, jsonAnswer);
  });
  on('GET', '/docs', () => new Response(page, { headers: html }));
  on('GET', '/docs/start.js', () => new Response(start, { headers: script }));
  for (const [asset, path] of Object.entries(assets)) {
    const file = Bun.file(resolve(import.meta.dir, path));
    const headers = { ...docsHeaders, 'Content-Type': file.type };
    on('GET', `/docs/${asset}`, () => new Response(file, { headers }));
  }
}
