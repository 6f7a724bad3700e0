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

const format = new Intl.DateTimeFormat('en-US', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** As pages write a time of this year, in the zone that this one says: "5 Sep, 14:05:09". */
function writeTime(date: Date): string {
  const parts = format.formatToParts(date).map(({ type, value }) => [type, value] as const);
  const { day, month, hour, minute, second }: Record<string, string> = Object.fromEntries(parts);
  return `${day} ${month}, ${hour}:${minute}:${second}`;
}

function makeLine({ since, event: name, type, channelId, at, messageId, words, state }: Line): HTMLElement {
  const date = new Date(at);
  const channel = `${basePath}/portal/channels/${encodeURIComponent(channelId)}`;
  const message = `${channel}/messages/${encodeURIComponent(messageId)}`;
  return make(
    'li',
    { class: 'event', 'data-event': name, 'data-since': since },
    make('time', { datetime: at, title: `${date.toLocaleString()} (${at})` }, writeTime(date)),
    make('b', {}, name),
    make('a', { href: channel }, type),
    make('a', { href: message, class: 'mono' }, messageId),
    state === undefined ? make('span', {}, words) : badgeOf(state),
  );
}

/** The page has a badge for each state in which a delivery ends. */
function badgeOf(state: string): Node {
  const template = document.getElementById(`ended-${state}`);
  return template instanceof HTMLTemplateElement ? template.content.cloneNode(true) : make('span', {}, state);
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
