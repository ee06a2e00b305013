/**
 * The floor: the least that any page takes in this browser, on this machine, at this moment. It is one plain document
 * with one note, a plain input and twelve rows, without a framework, a style or a search.
 */
import type { Service } from '../../test/support/service.ts';

/** Each key writes its text into all twelve rows; Enter copies the text, and says so as the page does. */
const html = `<!doctype html>
<html lang="en"><title>Floor</title>
<input id="search">
<p id="count"></p>
<div id="rows"><p class="row" aria-posinset="1" data-row="first">A note</p></div>
<p id="copied"></p>
<script>
const search = document.querySelector('#search');
const rows = document.querySelector('#rows');
const showRows = () => {
  while (rows.children.length < 12) {
    const row = rows.appendChild(document.createElement('p'));
    row.className = 'row';
    row.setAttribute('aria-posinset', rows.children.length);
  }
  for (const row of rows.children) {
    row.dataset.row = search.value;
    row.textContent = search.value + ' in a row of plain text that is as long as the title of a note';
  }
  document.querySelector('#count').textContent = search.value.length + ' letters';
};
search.addEventListener('input', showRows);
search.addEventListener('keydown', async ({ key }) => {
  if (key !== 'Enter') return;
  await navigator.clipboard.writeText(search.value);
  document.querySelector('#copied').textContent = 'Copied';
});
search.focus(); // the first letter came before the focus of the attribute "autofocus"
</script>
`;

/** Serves the floor on a free port, until it is disposed of. */
export function startFloor(): Pick<Service, 'url'> & AsyncDisposable {
  const server = Bun.serve({ port: 0, fetch: () => new Response(html, { headers: { 'Content-Type': 'text/html' } }) });
  return { url: server.url.href.replace(/\/$/, ''), [Symbol.asyncDispose]: () => server.stop(true) };
}
