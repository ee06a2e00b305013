import { splitInvisible } from './invisible-characters.ts';

export function VisibleText({ text }: { text: string }) {
  return splitInvisible(text).map((piece) =>
    typeof piece === 'string' ? (
      piece
    ) : (
      <span class="invisible-character" data-code={piece.code} title={piece.title}>
        {piece.character}
      </span>
    ),
  );
}
