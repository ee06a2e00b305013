/** Contrast of texts, measured as drawn. */
import type { Page } from 'playwright-core';

/** Visible texts in `scope` whose contrast is below 4.5, or 3 for large ones (WCAG 2.2, 1.4.3). */
export const faintTexts = (page: Page, scope = 'body'): Promise<string[]> => page.evaluate(findFaintTexts, scope);

/** Runs in the page. Draws colors on a canvas, which resolves every notation and transparency. */
function findFaintTexts(scope: string): string[] {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  if (canvas === null) throw new Error('No canvas');

  /** A color over the background of an element. */
  function over(element: Element | null, color: string): Uint8ClampedArray {
    if (canvas === null) throw new Error('No canvas');
    const layers = [color];
    for (let below = element; below; below = below.parentElement)
      layers.unshift(getComputedStyle(below).backgroundColor);
    canvas.fillStyle = 'white';
    for (const layer of ['white', ...layers]) {
      canvas.fillStyle = layer;
      canvas.fillRect(0, 0, 1, 1);
    }
    return canvas.getImageData(0, 0, 1, 1).data;
  }

  function luminance([red = 0, green = 0, blue = 0]: Uint8ClampedArray): number {
    const linear = (part: number) => (part <= 10 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  }

  function contrast(element: Element): number {
    const lights = [over(element, getComputedStyle(element).color), over(element, 'transparent')].map(luminance);
    return (Math.max(...lights) + 0.05) / (Math.min(...lights) + 0.05);
  }

  const hasText = (element: Element) =>
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '');
  const top = document.querySelector(scope === 'body' ? 'dialog[open], body:not(:has(dialog[open]))' : scope);
  return [...(top?.querySelectorAll('*') ?? [])]
    .filter((element) => hasText(element) && element.checkVisibility() && !element.matches('option, :disabled'))
    .filter((element) => {
      const { fontSize, fontWeight } = getComputedStyle(element);
      const size = Number.parseFloat(fontSize);
      const isLarge = size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700);
      return contrast(element) < (isLarge ? 3 : 4.5);
    })
    .map((element) => `contrast ${contrast(element).toFixed(2)}: ${element.outerHTML.slice(0, 120)}`);
}
