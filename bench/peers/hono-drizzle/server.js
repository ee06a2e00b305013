/** Hono with Drizzle on bun:sqlite: its zod validator for what comes in, prepared queries. */
import { Database } from 'bun:sqlite';
import { zValidator } from '@hono/zod-validator';
import { and, eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/bun-sqlite';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { Hono } from 'hono';
import * as z from 'zod';
import { announce, categories, colors, groups, pragmas, schema } from '../notes.js';

const client = new Database(process.env.DATABASE);
for (const pragma of pragmas()) client.run(`PRAGMA ${pragma}`);
client.run(schema);
const db = drizzle({ client });

const notes = sqliteTable('notes', {
  id: integer().primaryKey(),
  title: text().notNull(),
  content: text().notNull(),
  category: text({ enum: categories }).notNull(),
  group: text({ enum: groups }).notNull(),
  color: text({ enum: colors }).notNull(),
  archived: integer({ mode: 'boolean' }).notNull().default(false),
  createdAt: text().notNull(),
  updatedAt: text().notNull(),
});
const { placeholder } = sql;
const fieldNames = ['title', 'content', 'category', 'group', 'color', 'createdAt', 'updatedAt'];
const insert = db
  .insert(notes)
  .values(Object.fromEntries(fieldNames.map((name) => [name, placeholder(name)])))
  .returning()
  .prepare();

const lists = new Map();
/** The query for the filters that are given, prepared once. */
function listBy(names) {
  const conditions = names.map((name) => eq(notes[name], placeholder(name)));
  const list =
    lists.get(names.join()) ??
    db
      .select()
      .from(notes)
      .where(and(...conditions))
      .orderBy(notes.id)
      .prepare();
  lists.set(names.join(), list);
  return list;
}

const Draft = z.object({
  title: z.string().min(1),
  content: z.string().min(1),
  category: z.enum(categories),
  group: z.enum(groups),
  color: z.enum(colors),
});
const Id = z.coerce.number().int().positive();
const Params = z.object({ id: Id });
const Patch = Draft.partial().extend({ id: Id });
const Filter = z.object({
  category: Draft.shape.category.optional(),
  group: Draft.shape.group.optional(),
  archived: z.stringbool().transform(Number).optional(), // a placeholder is bound as it is
});

const now = () => new Date().toISOString();

function change(c, id, changes) {
  const row = db
    .update(notes)
    .set({ ...changes, updatedAt: now() })
    .where(eq(notes.id, id))
    .returning()
    .get();
  return row ? c.json(row) : c.json({ error: 'Not found' }, 404);
}

const app = new Hono()
  .get('/api/notes', zValidator('query', Filter), (c) => {
    const filter = c.req.valid('query');
    return c.json(listBy(Object.keys(filter)).all(filter));
  })
  .post('/api/notes', zValidator('json', Draft), (c) => {
    const time = now();
    return c.json(insert.get({ ...c.req.valid('json'), createdAt: time, updatedAt: time }), 201);
  })
  .put('/api/notes/:id', zValidator('param', Params), zValidator('json', Patch), (c) => {
    const { id: _, ...changes } = c.req.valid('json');
    return change(c, c.req.valid('param').id, changes);
  })
  .patch('/api/notes/:id/archive', zValidator('param', Params), (c) =>
    change(c, c.req.valid('param').id, { archived: true }),
  );

const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: app.fetch });
announce(server.port, client.query('PRAGMA synchronous').get().synchronous);
