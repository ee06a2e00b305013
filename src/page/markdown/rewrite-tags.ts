/** A tag in micromark's output, which escapes every other `<` and every `"` in an attribute. */
const tag = /<(\/?[a-z][a-z0-9]*)((?: [a-z]+="[^"]*")*) ?\/?>/g;

/** An escaped web or mail address, or a link to a note of this page; excludes `javascript:` and the like. */
const address = /^(?:https?:\/\/|mailto:|\?note=\d+$)/i;

const attributeIn = (attributes: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';

const openLink = (attributes: string) => `<a${attributes} rel="noopener noreferrer" target="_blank">`;

function checkbox(attributes: string): string {
  const checked = attributes.includes(' checked=') ? ' checked=""' : '';
  const value = attributeIn(attributes, 'value');
  return `<input type="checkbox" class="checkbox checkbox-xs" aria-label="Done" value="${value}" disabled=""${checked}>`;
}

/** Turns images into links and links with other targets than `address` into text, and lets wide tables scroll. */
export function rewriteTags(html: string): string {
  const isLinked: boolean[] = [];
  let tables = 0;

  function link(attributes: string): string {
    const isShown = address.test(attributeIn(attributes, 'href')) && !isLinked.includes(true);
    isLinked.push(isShown);
    return isShown ? openLink(attributes) : '';
  }

  function image(attributes: string): string {
    const source = attributeIn(attributes, 'src');
    const text = attributeIn(attributes, 'alt') || source;
    return address.test(source) && !isLinked.includes(true) ? `${openLink(` href="${source}"`)}${text}</a>` : text;
  }

  function rewrite(whole: string, name: string, attributes: string): string {
    switch (name) {
      case 'a':
        return link(attributes);
      case '/a':
        return isLinked.pop() ? '</a>' : '';
      case 'img':
        return image(attributes);
      case 'input':
        return checkbox(attributes);
      case 'table':
        tables += 1;
        return `<div class="table-scroll" role="region" aria-label="Table ${tables}" tabindex="0"><table>`;
      case '/table':
        return '</table></div>';
      case 'ul':
      case 'ol':
      case 'blockquote':
        return `<${name}${attributes} dir="auto">`;
      default:
        return whole;
    }
  }

  return html.replace(tag, rewrite);
}
