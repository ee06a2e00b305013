import { activeFilters, listedNotes, searchedWords } from '../state/listed-notes.ts';
import { urlState } from '../state/navigation.ts';
import {
  formatDateTime,
  formatLocalNoteCount,
  formatNoteTitle,
  formatRowExcerpt,
  formatValueLabel,
  maxExcerptLength,
} from '../ui/format-for-page.ts';

const maxPrinted = 500;

export function PrintedList() {
  const { category, group, color, archived } = activeFilters.value;
  const groups = group.length > 0 && `group ${group.map(formatValueLabel).join(', ')}`;
  const query = searchedWords.value !== '' && `“${searchedWords.value}”`;
  const chosen = [
    urlState.value.pinned && 'pinned',
    archived && 'archive',
    category.join(', '),
    groups,
    color.join(', '),
    query,
  ];
  const notes = listedNotes.value;
  return (
    <div class="print-only">
      <h1 class="text-xl font-semibold">{['Notes', ...chosen].filter(Boolean).join(' · ')}</h1>
      <p class="mb-4 text-sm">
        {notes.length > maxPrinted
          ? `The first ${maxPrinted} of ${formatLocalNoteCount(notes.length)}`
          : formatLocalNoteCount(notes.length)}
      </p>
      <ul>
        {notes.slice(0, maxPrinted).map((note) => (
          <li key={note.id} class="printed">
            <p class="font-bold" dir="auto">
              {formatNoteTitle(note)}
            </p>
            <p class="text-sm" dir="auto">
              {formatRowExcerpt(note.content)}
              {note.content.length > maxExcerptLength && ' …'}
            </p>
            <p class="text-sm">
              {formatValueLabel(note.category)} · {formatValueLabel(note.group)} · {note.color} ·{' '}
              {formatDateTime(note.updatedAt)}
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}
