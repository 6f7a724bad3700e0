/** The live page. The content of messages is not here: the service does not send it to a session. */
import { basePath, byId, make } from './dom.ts';
import { follow } from './live.ts';
import type { Line, Sight } from './live.ts';

const maxShown = 200;
const events = byId('events');
const live = byId('live');
const pause = byId('pause');
const filter = document.querySelector<HTMLSelectElement>('#filter');
/** Lines that arrive while paused, shown on resume: at most as many as the page shows, the newest. */
let held: HTMLElement | null = null;
let dropped = 0;

function makeLine({ since, event: name, type, channelId, at, messageId, words }: Line): HTMLElement {
  const time = make(
    'time',
    { datetime: at, title: `${new Date(at).toLocaleString()} (${at})` },
    new Date(at).toLocaleTimeString(undefined, { timeStyle: 'long' }),
  );
  const channel = `${basePath}/portal/channels/${encodeURIComponent(channelId)}`;
  const message = `${channel}/messages/${encodeURIComponent(messageId)}`;
  return make(
    'li',
    { class: 'card event', 'data-event': name, 'data-since': since },
    make('b', {}, name),
    make('a', { href: channel }, type),
    time,
    make('a', { href: message, class: 'mono' }, messageId),
    words === '' ? null : make('span', {}, words),
  );
}

const makeNote = (words: string): HTMLElement => make('li', { class: 'note' }, words);

function show(line: Element): void {
  const list = held ?? events;
  select(line);
  place(list, line);
  byId('nothing').hidden ||= held === null;
  for (; list.childElementCount > maxShown; dropped += 1) list.lastElementChild?.remove();
  sayPaused();
}

/** Inserts the line above the first one that is not newer: missed events are replayed channel by channel. */
function place(list: Element, line: Element): void {
  const sinceOf = (each: Element | null): string => each?.getAttribute('data-since') ?? '';
  let below = list.firstElementChild;
  if (sinceOf(line) !== '') while (sinceOf(below) > sinceOf(line)) below = below?.nextElementSibling ?? null;
  list.insertBefore(line, below);
}

/** Shows the line if the filter does; notes stay. */
function select(line: Element): void {
  const name = line.getAttribute('data-event');
  line.toggleAttribute('hidden', name !== null && !name.includes(filter?.value ?? ''));
}

function sayPaused(): void {
  pause.textContent = held === null ? 'Pause' : `Resume (paused, ${held.childElementCount + dropped} new)`;
}

function gap(missed: number): void {
  const came = `${missed} ${missed === 1 ? 'event' : 'events'} came meanwhile, shown below.`;
  show(makeNote(`The connection was lost and is back: ${missed === 0 ? 'nothing was missed.' : came}`));
}

const sights: Record<Sight, [tone: string, words: string]> = {
  connecting: ['idle', 'connecting …'],
  connected: ['good', 'connected'],
  lost: ['bad', 'connection lost, trying again'],
  refused: ['bad', 'signed out: load the page again'],
};

function say(sight: Sight): void {
  const [tone, words] = sights[sight];
  live.textContent = words;
  live.className = `sight ${tone}`;
}

filter?.addEventListener('input', () => [...events.children].forEach(select));
pause.addEventListener('click', () => {
  const [waiting, unseen] = [[...(held?.children ?? [])].toReversed(), held === null ? 0 : dropped];
  held = held === null ? make('ol') : null;
  dropped = 0;
  waiting.forEach(show);
  if (unseen > 0) show(makeNote(`${unseen} earlier lines of the pause are not shown.`));
  sayPaused();
});
pause.hidden = false;
follow(`${basePath}${live.dataset['events']}`, { say, line: (line) => show(makeLine(line)), gap });
