/**
 * Parts of a page that refresh by themselves (`data-fresh`: interval in seconds): the page is fetched again, and what differs is changed.
 * Anything selected, opened or about to be clicked stays; new rows wait while the list is in use.
 */
import { Idiomorph } from 'idiomorph';
import { make, makeButton } from './dom.ts';
import { adoptIcons, readServed } from './served.ts';

const mostSeconds = 60;
const reload = (): void => location.reload();
let failures = 0;
let hasEnded = false;
/** Empty while the refresh works; it overlays the page, so that nothing moves. */
const state = make('p', { id: 'fresh-state', class: 'fresh-state', role: 'status' });

export function refreshParts(): void {
  document.body.append(state);
  later();
}

const parts = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[data-fresh]')];

function later(): void {
  if (hasEnded) return;
  const asked = Math.min(mostSeconds, ...parts().map((part) => Number(part.dataset['fresh'])));
  const seconds = Math.min(mostSeconds, Math.max(1, asked) * 2 ** failures);
  setTimeout(() => void look().finally(later), seconds * 1_000);
}

async function look(): Promise<void> {
  if (document.hidden || parts().length === 0) return;
  const served = await readServed();
  failures = served === 'away' ? Math.min(failures + 1, 6) : 0;
  if (served === 'signed out') return end();
  say(served === 'away' ? 'Not up to date: the service does not answer. It is asked again by itself.' : '');
  if (served === 'away') return;
  adoptIcons(served);
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
  state.replaceChildren('You are signed out. ', makeButton('Load the page again', reload));
}

/** Whether the focus, a selected row or marked text is within the part. */
function isInUse(part: Element): boolean {
  const marked = getSelection();
  const isMarked = marked !== null && !marked.isCollapsed && part.contains(marked.anchorNode);
  return part.contains(document.activeElement) || isMarked || part.querySelector('input:checked') !== null;
}

function refresh(part: HTMLElement, fresh: HTMLElement): void {
  part.dataset['fresh'] = fresh.dataset['fresh'] ?? '';
  const rows = part.querySelector('tbody');
  if (rows === null) return isInUse(part) ? undefined : morph(part, fresh, false);
  const isHeld = isInUse(part) || rows.matches(':hover') || part.getBoundingClientRect().top < 0;
  const isNew = ({ id }: Element): boolean => document.getElementById(id) === null;
  const news = [...fresh.querySelectorAll('tbody > tr')].filter(isNew);
  tell(part, isHeld ? news.length : 0);
  if (!isHeld) return morph(part, fresh, false);
  // A row with other columns would not fit the header.
  if (headsOf(part) !== headsOf(fresh)) return;
  for (const row of news) row.remove();
  morph(part, fresh, true);
}

const headsOf = (part: Element): string => part.querySelector('thead')?.textContent ?? '';

/** `isHeld`: rows that the list has no longer stay, and what is in use stays as it is. */
function morph(part: HTMLElement, fresh: HTMLElement, isHeld: boolean): void {
  const isRow = (node: Node): boolean => node instanceof HTMLTableRowElement;
  void Idiomorph.morph(part, fresh.innerHTML, {
    morphStyle: 'innerHTML',
    callbacks: {
      beforeNodeMorphed: (old) =>
        !(old instanceof HTMLInputElement) && !(isRow(old) && isHeld && isInUse(old)) && !hasSaid(old),
      beforeNodeRemoved: (old) => !(isHeld && isRow(old)),
      // Whether a disclosure is open is the person's choice.
      beforeAttributeUpdated: (name) => name !== 'open',
    },
  });
}

/** A button that says what it has done. */
const hasSaid = (node: Node): boolean => node instanceof HTMLButtonElement && 'copy' in node.dataset;

/** Shows the number in a line above the list that is always there, so that nothing moves. */
function tell(part: Element, count: number): void {
  const line = document.getElementById(`${part.id}-news`);
  if (line === null) return;
  const words = count === 1 ? 'Show the one that is new' : `Show the ${count} that are new`;
  line.replaceChildren(...(count === 0 ? [] : [makeButton(words, reload)]));
}
