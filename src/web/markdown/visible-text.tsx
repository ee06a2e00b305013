import { splitInvisible } from './invisible-characters.ts';

/** A text whose invisible characters are seen. */
export function VisibleText({ text }: { text: string }) {
  return splitInvisible(text).map((piece) =>
    typeof piece === 'string' ? (
      piece
    ) : (
      <span class="unseen" data-code={piece.code} title={piece.title}>
        {piece.character}
      </span>
    ),
  );
}
