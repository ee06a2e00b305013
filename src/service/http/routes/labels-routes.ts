import { type LabelStore, type Labels, parseLabels } from '../../../core/group-labels.ts';
import type { BodyReader } from '../body-reader.ts';
import { includesEntityTag } from '../conditional-headers.ts';
import type { AddRoute } from '../request.ts';
import { jsonHeaders } from '../response-headers.ts';

/** Adds the routes that read and replace the labels of groups. */
export function addLabelsRoutes(on: AddRoute, store: LabelStore, bodies: BodyReader): void {
  on('GET', '/api/labels', async (c) => {
    const { json, tag, headers } = createLabelsResponseParts(await store.labels());
    if (includesEntityTag(c.req.header('if-none-match'), tag)) return new Response(null, { status: 304, headers });
    return new Response(json, { headers });
  });

  on('PUT', '/api/labels', async (c) => {
    const { json, headers } = createLabelsResponseParts(
      await store.setLabels(parseLabels(await bodies.readObject(c.req.raw))),
    );
    return new Response(json, { headers });
  });
}

function createLabelsResponseParts(labels: Labels) {
  const json = JSON.stringify(labels);
  const tag = Bun.hash.xxHash3(json).toString(36);
  return { json, tag, headers: { ...jsonHeaders, ETag: `"${tag}"` } };
}
