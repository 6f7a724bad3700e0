/** The live page. What people wrote does not come here: the service takes it out of what it says to a session. */
import { byId, field, make } from './dom.ts';
import { Feed } from './live.ts';
import type { Entry, Envelope, Sight } from './live.ts';

const maxShown = 200;
/** What comes while it is paused is shown when it goes on. */
let held: HTMLElement[] | null = null;

interface Line {
  event: string;
  type: string;
  channelId: string;
  at: string;
  messageId: string;
  words: string;
}

function makeLine({ event: name, type, channelId, at, messageId, words }: Line): HTMLElement {
  const time = make(
    'time',
    { datetime: at, title: `${new Date(at).toLocaleString()} (${at})` },
    new Date(at).toLocaleTimeString(),
  );
  const channel = `/portal/channels/${encodeURIComponent(channelId)}`;
  const message = `${channel}/messages/${encodeURIComponent(messageId)}`;
  return make(
    'li',
    { class: 'card event', 'data-event': name },
    make('b', {}, name),
    make('a', { href: channel }, type),
    time,
    name === 'message.received'
      ? make('code', {}, messageId)
      : make('a', { href: message, class: 'mono' }, messageId),
    words === '' ? null : make('span', {}, words),
  );
}

function show(line: HTMLElement): void {
  if (held !== null) {
    held.push(line);
    return sayPaused(held.length);
  }
  const events = byId('events');
  line.hidden = !fits(line);
  events.prepend(line);
  while (events.childElementCount > maxShown) events.lastElementChild?.remove();
  byId('nothing').hidden = true;
}

function sayPaused(count: number): void {
  byId('pause').textContent = `Resume (paused, ${count} new)`;
}

const fits = (line: HTMLElement): boolean =>
  (line.dataset['event'] ?? '').includes(field('filter').value.trim()) || line.dataset['event'] === '';

function asText(data: Record<string, unknown>, name: string): string {
  const value = data[name];
  return typeof value === 'string' ? value : '';
}

function event({
  event: name,
  channel_type: type,
  channel_id: channelId,
  timestamp: at,
  data,
}: Envelope): void {
  const words = asText(data, 'type');
  show(makeLine({ event: name, type, channelId, at, messageId: asText(data, 'message_id'), words }));
}

function logged({ event: name, channel_type: type, channel_id: channelId, ...entry }: Entry): void {
  const words = entry.state;
  show(makeLine({ event: name, type, channelId, at: entry.created_at, messageId: entry.message_id, words }));
}

function gap({ again, ended, isFirst }: { again: number; ended: number; isFirst: boolean }): void {
  const count = again + ended;
  if (isFirst) return;
  const words =
    count === 0
      ? 'The connection was lost and is back: nothing was missed.'
      : `The connection was lost and is back: ${count} ${count === 1 ? 'event' : 'events'} came meanwhile, shown below.`;
  show(make('li', { class: 'note', 'data-event': '' }, words));
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
  byId('live').className = `state ${tone}`;
}

byId('filter').addEventListener('input', () => {
  for (const line of byId('events').children) if (line instanceof HTMLElement) line.hidden = !fits(line);
});
byId('pause').addEventListener('click', () => {
  const waiting = held ?? [];
  held = held === null ? [] : null;
  for (const line of waiting) show(line);
  if (held === null) byId('pause').textContent = 'Pause';
  else sayPaused(0);
});
byId('pause').hidden = false;
new Feed({ say, event, logged, gap }, byId('live').dataset['since'] ?? null).open();
