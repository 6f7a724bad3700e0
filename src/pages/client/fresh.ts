/**
 * Parts of a page that refresh by themselves (`data-fresh`: interval in seconds): the page is fetched again, and changed parts are
 * replaced. Anything ticked, opened, selected or about to be clicked stays; new rows wait while the list is in use.
 */
import { enhance } from './page.ts';
import { make } from './dom.ts';
import { readServed } from './served.ts';

/** HTML of each part as served: the DOM has been changed by scripts since. */
const asServed = new WeakMap<Element, string>();
const mostSeconds = 60;
let failures = 0;

function parts(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('[data-fresh]')];
}

/** Empty while the refresh works; it overlays the page, so that nothing moves. */
const state = make('p', { id: 'fresh-state', class: 'fresh-state', role: 'status' });
let hasEnded = false;

function later(): void {
  if (hasEnded) return;
  const asked = Math.min(...parts().map((part) => Number(part.dataset['fresh'])));
  if (!Number.isFinite(asked)) return;
  const seconds = Math.min(mostSeconds, Math.max(1, asked) * 2 ** failures);
  setTimeout(() => void look().finally(later), seconds * 1_000);
}

async function look(): Promise<void> {
  if (document.hidden) return;
  const served = await readServed();
  failures = served === 'away' ? Math.min(failures + 1, 6) : 0;
  if (served === 'signed out') return end();
  say(served === 'away' ? 'Not up to date: the service does not answer. It is asked again by itself.' : '');
  if (served === 'away') return;
  for (const part of parts()) {
    const fresh = served.getElementById(part.id);
    if (fresh !== null) refresh(part, fresh);
  }
}

function say(words: string): void {
  if (state.textContent !== words) state.textContent = words;
}

function end(): void {
  hasEnded = true;
  const again = make(
    'button',
    { class: 'quiet', type: 'button', onclick: () => location.reload() },
    'Load the page again',
  );
  state.replaceChildren('You are signed out. ', again);
}

function refresh(part: HTMLElement, fresh: HTMLElement): void {
  part.dataset['fresh'] = fresh.dataset['fresh'] ?? '';
  const [rows, freshRows] = [part, fresh].map((each) => each.querySelector('tbody'));
  if (rows && freshRows) refreshList(part, rows, fresh, freshRows);
  else if (!isInUse(part)) replace(part, fresh);
}

/** Whether the focus, a tick or a selection is within the part. */
function isInUse(part: Element): boolean {
  const selection = getSelection();
  const isSelected = selection !== null && !selection.isCollapsed && part.contains(selection.anchorNode);
  return part.contains(document.activeElement) || isSelected || part.querySelector('input:checked') !== null;
}

/** False: the part is as last served. */
function isNew(part: Element, fresh: Element): boolean {
  if (asServed.get(part) === fresh.innerHTML) return false;
  asServed.set(part, fresh.innerHTML);
  return true;
}

function replace(part: Element, fresh: Element): void {
  if (!isNew(part, fresh)) return;
  const open = new Map([...part.querySelectorAll('details')].map((each) => [each.id, each.open]));
  for (const each of fresh.querySelectorAll('details')) each.open = open.get(each.id) ?? each.open;
  enhance(fresh);
  part.replaceChildren(...fresh.childNodes);
}

const keyOf = (row: Element): string => row.getAttribute('data-key') ?? '';

/** Header of a list: a row with other columns would not fit it. */
const headsOf = (part: Element): string => part.querySelector('thead')?.textContent ?? '';

/** Rows that are shown already keep their elements. */
function refreshList(part: Element, rows: Element, fresh: Element, freshRows: Element): void {
  const isHeld = isInUse(part) || rows.matches(':hover') || part.getBoundingClientRect().top < 0;
  const shown = new Map([...rows.children].map((row) => [keyOf(row), row]));
  const news = [...freshRows.children].filter((row) => !shown.has(keyOf(row)));
  if (!isHeld || headsOf(part) === headsOf(fresh))
    for (const row of freshRows.children) refreshRow(shown.get(keyOf(row)), row);
  if (isHeld) return tell(part, news.length);
  if (!isNew(part, fresh)) return;
  enhance(fresh);
  for (const row of freshRows.children) {
    const known = shown.get(keyOf(row));
    if (known !== undefined) row.replaceWith(known);
  }
  part.replaceChildren(...fresh.childNodes);
  tell(part, 0);
}

function refreshRow(known: Element | undefined, fresh: Element): void {
  if (known === undefined || isInUse(known) || !isNew(known, fresh)) return;
  const copy = document.createElement('tr');
  copy.innerHTML = fresh.innerHTML;
  enhance(copy);
  known.replaceChildren(...copy.childNodes);
}

/** Shows the number in a line above the list that is always there, so that nothing moves. */
function tell(part: Element, count: number): void {
  const line = document.getElementById(`${part.id}-news`);
  if (line === null) return;
  const show = (): void => location.reload();
  const words = count === 1 ? 'Show the one that is new' : `Show the ${count} that are new`;
  line.replaceChildren(
    ...(count === 0 ? [] : [make('button', { class: 'quiet', type: 'button', onclick: show }, words)]),
  );
}

document.body.append(state);
later();
