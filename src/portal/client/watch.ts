/** The live page. What people wrote is taken out before anything is shown. */
import { byId, field, make } from './dom.ts';
import { follow } from './live.ts';
import type { Envelope } from './live.ts';

const maxShown = 200;
let isPaused = false;

function show({ event, channel_type: type, channel_id: channelId, timestamp, data }: Envelope): void {
  if (isPaused || !event.includes(field('filter').value.trim())) return;
  const facts = [data['message_id'], data['status'], data['type'], data['error']];
  const words = facts.filter((each): each is string => typeof each === 'string').join(' · ');
  const row = make(
    'article',
    { class: 'card event' },
    make('b', {}, event),
    make('span', {}, type),
    make('time', { datetime: timestamp }, timestamp.slice(11, 23)),
    make('a', { href: `/portal/channels/${encodeURIComponent(channelId)}` }, 'channel'),
    make('code', {}, words),
  );
  const events = byId('events');
  events.prepend(row);
  while (events.childElementCount > maxShown) events.lastElementChild?.remove();
}

function say(state: string): void {
  byId('live').textContent = state;
  byId('live').className = `state ${state === 'connected' ? 'good' : 'idle'}`;
}

byId('watch').addEventListener('submit', (event) => {
  event.preventDefault();
  follow(field('key').value.trim(), { say, show });
  byId('pause').hidden = false;
});
byId('pause').addEventListener('click', () => {
  isPaused = !isPaused;
  byId('pause').textContent = isPaused ? 'Go on' : 'Pause';
});
