/** Times as people read them: absolute, in the zone of the person; how long ago is the tooltip, and stands beside where that helps. */
import { createContext } from 'preact';
import type { VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { dayMs, hourMs, minuteMs, toIso } from '../kernel/clock.ts';
import { utc } from './zone.ts';
import type { Zone } from './zone.ts';

export const ReaderZone = createContext<Zone>(utc);

export const ZoneOfReader = ReaderZone.Provider;

interface Moment {
  at: number;
  now: number;
}

export function When({ at, now }: Moment): VNode {
  const zone = useContext(ReaderZone);
  return (
    <time datetime={toIso(at)} title={distanceWords(at, now)}>
      {zone.write(at, now)}
    </time>
  );
}

/** "In 3 d", "5 min ago": within a sentence about a span; the time is the tooltip. */
export function Distance({ at, now }: Moment): VNode {
  const zone = useContext(ReaderZone);
  return (
    <time datetime={toIso(at)} title={zone.write(at, now)}>
      {distanceWords(at, now)}
    </time>
  );
}

/** The time, and how far it is from now. */
export function WhenAndAgo({ at, now }: Moment): VNode {
  return (
    <span class="when">
      <When at={at} now={now} /> <span class="dim">{distanceWords(at, now)}</span>
    </span>
  );
}

/** A time, or "never". */
export function Maybe({ at, now }: { at: number | null; now: number }): VNode {
  return at === null ? <span class="dim">never</span> : <When at={at} now={now} />;
}

/** Said once on a page that has times. */
export function ZoneNote(): VNode {
  const { name } = useContext(ReaderZone);
  return <p class="zone">Times in {name}</p>;
}

const units: [ms: number, name: string][] = [
  [dayMs, 'd'],
  [hourMs, 'h'],
  [minuteMs, 'min'],
];

/** "3 min ago", "in 6 d". What is past is rounded down, as ages are; what is to come to the nearest: a trial of 14 days ends in 14 d. */
function distanceWords(at: number, now: number): string {
  const isAhead = at > now;
  const distance = Math.abs(now - at);
  if (distance < 10_000) return isAhead ? 'in a moment' : 'just now';
  const round = isAhead ? Math.round : Math.floor;
  const [ms, name] = units.find(([each]) => distance >= each) ?? [1_000, 's'];
  const span = `${round(distance / ms)} ${name}`;
  return isAhead ? `in ${span}` : `${span} ago`;
}
