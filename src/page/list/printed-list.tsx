import { groupName } from '../state/labels.ts';
import { urlState } from '../state/navigation.ts';
import { filters, results, words } from '../state/results.ts';
import { displayTitle, formatDateTime, maxExcerptLength, noteCount, rowExcerpt } from '../ui/format.ts';

const maxPrinted = 500;

export function PrintedList() {
  const { category, group, color, archived } = filters.value;
  const groups = group.length > 0 && `group ${group.map(groupName).join(', ')}`;
  const query = words.value !== '' && `“${words.value}”`;
  const chosen = [
    urlState.value.pinned && 'pinned',
    archived && 'archive',
    category.join(', '),
    groups,
    color.join(', '),
    query,
  ];
  const notes = results.value;
  return (
    <div class="print-only">
      <h1 class="text-xl font-semibold">{['Notes', ...chosen].filter(Boolean).join(' · ')}</h1>
      <p class="mb-4 text-sm">
        {notes.length > maxPrinted ? `The first ${maxPrinted} of ${noteCount(notes.length)}` : noteCount(notes.length)}
      </p>
      <ul>
        {notes.slice(0, maxPrinted).map((note) => (
          <li key={note.id} class="printed">
            <p class="font-bold" dir="auto">
              {displayTitle(note)}
            </p>
            <p class="text-sm" dir="auto">
              {rowExcerpt(note.content)}
              {note.content.length > maxExcerptLength && ' …'}
            </p>
            <p class="text-sm">
              {note.category} · {groupName(note.group)} · {note.color} · {formatDateTime(note.updatedAt)}
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}
