CREATE TABLE notes (
     id         INTEGER PRIMARY KEY AUTOINCREMENT,
     title      TEXT    NOT NULL CHECK (title <> ''),
     content    TEXT    NOT NULL CHECK (content <> ''),
     category   TEXT    NOT NULL CHECK (category = 'css' OR category = 'host-town' OR category = 'prompts' OR category = 'notes' OR category = 'chat-tool' OR category = 'editor-chats' OR category = 'bash-commands'),
     "group"    TEXT    NOT NULL CHECK ("group" = 'first' OR "group" = 'second' OR "group" = 'third' OR "group" = 'fourth' OR "group" = 'fifth'),
     color      TEXT    NOT NULL CHECK (color = 'primary' OR color = 'secondary' OR color = 'accent' OR color = 'neutral' OR color = 'info' OR color = 'success' OR color = 'warning' OR color = 'error'),
     archived   INTEGER NOT NULL DEFAULT 0 CHECK (archived = 0 OR archived = 1),
     created_at INTEGER NOT NULL, -- ms since 1970, UTC
     updated_at INTEGER NOT NULL CHECK (updated_at >= created_at)
   ) STRICT;
   CREATE INDEX notes_by_cell ON notes (archived, category, "group");
