import type { NoteDraft } from '../../core/note.ts';
import { urlState } from '../state/navigation.ts';

/** The fields of an empty note that passes the current filters. */
export function blank(): NoteDraft {
  const {
    category: [category = 'notes'],
    group: [group = 'first'],
  } = urlState.value;
  return { title: '', content: '', category, group, color: 'neutral' };
}
