/** The live page. The content of messages is not here: the service removes it from what it sends to a session. */
import { basePath, byId, field, make } from './dom.ts';
import { Feed } from './live.ts';
import type { Line, Sight } from './live.ts';

const maxShown = 200;
/** Lines that arrive while paused, shown on resume: at most as many as the page shows, the newest. */
let held: HTMLElement[] | null = null;
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

function show(line: HTMLElement): void {
  if (held !== null) {
    held.push(line);
    if (held.length > maxShown) {
      held.shift();
      dropped += 1;
    }
    return sayPaused(held.length + dropped);
  }
  const events = byId('events');
  line.hidden = !fits(line);
  place(events, line);
  while (events.childElementCount > maxShown) events.lastElementChild?.remove();
  byId('nothing').hidden = true;
}

/** Inserts the line above the first one that is not newer: missed events are replayed channel by channel. */
function place(events: HTMLElement, line: HTMLElement): void {
  const since = line.dataset['since'];
  let below = events.firstElementChild;
  while (since !== undefined && below instanceof HTMLElement && (below.dataset['since'] ?? '') > since)
    below = below.nextElementSibling;
  events.insertBefore(line, below);
}

function sayPaused(count: number): void {
  byId('pause').textContent = `Resume (paused, ${count} new)`;
}

const fits = (line: HTMLElement): boolean =>
  (line.dataset['event'] ?? '').includes(field('filter').value.trim()) || line.dataset['event'] === '';

function gap(missed: number): void {
  const words =
    missed === 0
      ? 'nothing was missed.'
      : `${missed} ${missed === 1 ? 'event' : 'events'} came meanwhile, shown below.`;
  show(makeNote(`The connection was lost and is back: ${words}`));
}

function makeNote(words: string): HTMLElement {
  return make('li', { class: 'note', 'data-event': '' }, words);
}

const sights: Record<Sight, [tone: string, words: string]> = {
  connecting: ['idle', 'connecting …'],
  connected: ['good', 'connected'],
  lost: ['bad', 'connection lost, trying again'],
  refused: ['bad', 'signed out: load the page again'],
};

function say(sight: Sight): void {
  const [tone, words] = sights[sight];
  byId('live').textContent = words;
  byId('live').className = `sight ${tone}`;
}

byId('filter').addEventListener('input', () => {
  for (const line of byId('events').children) if (line instanceof HTMLElement) line.hidden = !fits(line);
});
byId('pause').addEventListener('click', () => {
  const waiting = held ?? [];
  held = held === null ? [] : null;
  for (const line of waiting) show(line);
  if (dropped > 0) show(makeNote(`${dropped} earlier lines of the pause are not shown.`));
  dropped = 0;
  if (held === null) byId('pause').textContent = 'Pause';
  else sayPaused(0);
});
byId('pause').hidden = false;
new Feed(
  { say, line: (line) => show(makeLine(line)), gap },
  `${basePath}${byId('live').dataset['events']}`,
).open();
