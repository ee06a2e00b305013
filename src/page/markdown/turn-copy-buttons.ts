/** The buttons in the heads of the turns of a rendered chat, each of which copies the text of its turn. */
import { listLineElements } from '../note/rendered-lines.ts';
import type { RenderedTurn } from './turn-texts.ts';

const listTurnElements = (root: Element) => [...root.querySelectorAll(':scope > .turn')];

/** Adds a button to each turn that is not empty; `data-turn` of the button is the index of the turn. */
export function addTurnCopyButtons(root: Element): void {
  for (const [index, turn] of listTurnElements(root).entries()) {
    const speaker = turn.querySelector(':scope > .speaker');
    if (speaker && speaker === turn.lastElementChild) continue;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'btn btn-xs touch no-print';
    button.dataset['turn'] = String(index);
    button.ariaLabel = `Copy turn ${index + 1}`;
    button.textContent = 'Copy';
    speaker?.after(button);
  }
}

/** `lines`: those of the elements that `listLineElements` finds. */
export function listRenderedTurns(root: Element, lines: readonly number[]): readonly RenderedTurn[] {
  const firstLines = new Map<Element, number | undefined>();
  for (const [index, element] of listLineElements(root).entries()) {
    const turn = element.closest('.turn');
    if (turn && !firstLines.has(turn)) firstLines.set(turn, lines[index]);
  }
  return listTurnElements(root).map((turn) => ({
    speaker: turn.querySelector('.speaker')?.textContent ?? '',
    firstLine: firstLines.get(turn),
  }));
}
