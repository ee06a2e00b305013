import type { RefObject } from 'preact';
import { formatTooltip } from '../keyboard/keymap.ts';
import { noteMatchPosition } from '../state/note-match-position.ts';
import { Button, IconButton } from '../ui/buttons.tsx';
import { openMenu } from '../ui/menu.tsx';
import { createPlaceItems } from './headings.ts';
import { goToMatch } from './note-matches.ts';

interface NotePlacesProps {
  readonly body: RefObject<HTMLElement | null>;
  readonly hasMenu: boolean;
}

/** Goes to places of the shown note: the matches of the search, and the headings or turns. */
export function NotePlaces({ body, hasMenu }: NotePlacesProps) {
  const position = noteMatchPosition.value;
  if (!hasMenu && !position) return null;
  return (
    <div class="note-places no-print">
      {hasMenu && (
        <Button
          class="btn-ghost"
          aria-haspopup="menu"
          onClick={({ currentTarget }) => {
            if (body.current) openMenu({ label: 'Jump to', items: createPlaceItems(body.current), at: currentTarget });
          }}
        >
          Jump to
        </Button>
      )}
      {position && (
        <>
          <span class="match-position">
            {position.index + 1} of {position.count.toLocaleString()}
          </span>
          <IconButton
            name="up"
            label="Previous match"
            title={formatTooltip('previousMatch', 'Previous match')}
            onClick={() => goToMatch(-1)}
          />
          <IconButton
            name="down"
            label="Next match"
            title={formatTooltip('nextMatch', 'Next match')}
            onClick={() => goToMatch(1)}
          />
        </>
      )}
    </div>
  );
}
