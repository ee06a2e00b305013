import { Argument } from 'commander';

/** The argument of a command that works on existing notes: ids or words. Shells complete it by notes. */
export class NoteArgument extends Argument {
  /** Whether the command works on archived notes, instead of active ones. */
  readonly isArchived: boolean;

  /** `name` as commander has it: `[words...]`, or `<words...>` if it is required. */
  constructor(name: string, { isArchived = false } = {}) {
    super(name);
    this.isArchived = isArchived;
  }
}
