/** The notes as a collection that everybody may read and write, as notes of the service: an empty rule lets all pass. */
migrate((app) => {
  const categories = ['css', 'host-town', 'prompts', 'notes', 'chat-tool', 'editor-chats', 'bash-commands'];
  const groups = ['first', 'second', 'third', 'fourth', 'fifth'];
  const colors = ['primary', 'secondary', 'accent', 'neutral', 'info', 'success', 'warning', 'error'];
  const collection = new Collection({
    type: 'base',
    name: 'notes',
    listRule: '',
    viewRule: '',
    createRule: '',
    updateRule: '',
    fields: [
      { type: 'text', name: 'title', required: true },
      { type: 'text', name: 'content', required: true, max: 1_000_000 },
      { type: 'select', name: 'category', required: true, values: categories },
      { type: 'select', name: 'group', required: true, values: groups },
      { type: 'select', name: 'color', required: true, values: colors },
      { type: 'bool', name: 'archived' },
      { type: 'autodate', name: 'createdAt', onCreate: true },
      { type: 'autodate', name: 'updatedAt', onCreate: true, onUpdate: true },
    ],
    indexes: ['CREATE INDEX notes_by_filter ON notes (archived, category, `group`)'],
  });
  app.save(collection);

  const superuser = new Record(app.findCollectionByNameOrId('_superusers'));
  superuser.set('email', 'admin@example.com');
  superuser.set('password', $security.randomString(30));
  app.save(superuser);
});
