import { type LabelStore, type Labels, parseLabelChangesFromBody } from '../../../core/value-labels.ts';
import { matchesIfNoneMatch } from '../conditional-headers.ts';
import type { JsonBodyReader } from '../json-body-reader.ts';
import type { AddRoute } from '../request.ts';
import { jsonHeaders } from '../response-headers.ts';

/** Adds the routes that read and replace the labels of groups and categories. */
export function addLabelsRoutes(on: AddRoute, store: LabelStore, bodies: JsonBodyReader): void {
  on('GET', '/api/labels', async (c) => {
    const { json, tag, headers } = createLabelsResponseParts(await store.labels());
    if (matchesIfNoneMatch(c.req.header('if-none-match'), tag)) return new Response(null, { status: 304, headers });
    return new Response(json, { headers });
  });

  on('PUT', '/api/labels', async (c) => {
    const { json, headers } = createLabelsResponseParts(
      await store.setLabels(parseLabelChangesFromBody(await bodies.readJsonObject(c.req.raw))),
    );
    return new Response(json, { headers });
  });
}

function createLabelsResponseParts(labels: Labels) {
  const json = JSON.stringify(labels);
  const tag = Bun.hash.xxHash3(json).toString(36);
  return { json, tag, headers: { ...jsonHeaders, ETag: `"${tag}"` } };
}
