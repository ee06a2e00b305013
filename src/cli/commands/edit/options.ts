import type { Note, NoteDraft } from '../../../domain/note.ts';
import type { ContentFlags } from '../../notes/content.ts';
import type { StoreOptions } from '../../notes/store-options.ts';

export interface EditFlags extends StoreOptions, ContentFlags, Partial<Omit<NoteDraft, 'content'>> {
  readonly whereCategory?: Note['category'];
  readonly whereGroup?: Note['group'];
  readonly whereArchived?: boolean;
  readonly whereActive?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export const isWhere = (flags: EditFlags): boolean => Object.keys(flags).some((name) => name.startsWith('where'));
