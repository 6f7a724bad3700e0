/** The time zone of the person, which the browser tells with a cookie; UTC if it does not. */
import type { IncomingMessage } from 'node:http';
import { toIso } from '../kernel/clock.ts';
import { lruCache } from '../kernel/lru-cache.ts';

/** Set by `client/page.ts`. */
const cookie = /(?:^|;\s*)trunkline_zone=([A-Za-z]{1,20}(?:\/[\w+-]{1,30}){0,2})(?:;|$)/;

export interface Zone {
  /** As in the zone database, "Europe/Berlin". */
  name: string;
  /** `at`: ms. */
  write: (at: number, now: number) => string;
  /** "22 Nov". */
  day: (at: number) => string;
  /** "14:05". */
  hour: (at: number) => string;
  /** As a field for a time takes it: `2026-11-22T09:30`. */
  typed: (at: number) => string;
  /** The moment (ms) of a time as people type it in this zone: `2026-11-22T09:30`, or a day for its start; null: it is none. */
  read: (typed: string) => number | null;
}

const options = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
} as const;

/** Throws RangeError for an unknown name. */
function makeZone(name: string): Zone {
  const format = new Intl.DateTimeFormat('en-US', { ...options, timeZone: name });
  const partsOf = (at: number): Record<string, string> =>
    Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  /** What clocks of the zone show, as if it were UTC. */
  const shown = (at: number): number => {
    const { year, month, day, hour, minute, second } = partsOf(at);
    return Date.parse(`${day} ${month} ${year} ${hour}:${minute}:${second} UTC`);
  };
  let known = { now: Number.NaN, year: '' };
  const yearOf = (now: number): string => {
    if (known.now !== now) known = { now, year: partsOf(now)['year'] ?? '' };
    return known.year;
  };
  return {
    name,
    write: (at, now) => {
      const { year, month, day, hour, minute, second } = partsOf(at);
      const date = `${day} ${month}${year === yearOf(now) ? '' : ` ${year}`}`;
      return `${date}, ${hour}:${minute}:${second}`;
    },
    day: (at) => {
      const { month, day } = partsOf(at);
      return `${day} ${month}`;
    },
    hour: (at) => {
      const { hour, minute } = partsOf(at);
      return `${hour}:${minute}`;
    },
    typed: (at) => toIso(shown(at)).slice(0, 'yyyy-mm-ddThh:mm'.length),
    read(typed) {
      const wanted = asUtc(typed);
      if (wanted === null) return null;
      const near = wanted + (wanted - shown(wanted));
      // Once more, because the offset of the zone may change between both.
      const at = near + (wanted - shown(near));
      // A time that the clock skips is the one after it: where it skips midnight, a day begins an hour later.
      return shown(at) === wanted ? at : Math.max(near, at);
    },
  };
}

/** Between these years every zone has a time that can be written. */
const typedTime = /^(?:19[7-9]\d|2\d{3})-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?)?$/;

function asUtc(typed: string): number | null {
  if (!typedTime.test(typed)) return null;
  const at = Date.parse(typed.length > 'yyyy-mm-dd'.length ? `${typed}Z` : `${typed}T00:00Z`);
  // A day that does not exist would be one of the next month.
  return Number.isNaN(at) || toIso(at).slice(0, 10) !== typed.slice(0, 10) ? null : at;
}

export const utc = makeZone('UTC');

/** A format takes a while to make, and people come from few zones. */
const zones = lruCache<Zone>(500);

export function zoneIn({ headers }: Pick<IncomingMessage, 'headers'>): Zone {
  const [, name] = cookie.exec((headers.cookie ?? '').slice(0, 8_192)) ?? [];
  if (name === undefined) return utc;
  const zone = zones.get(name) ?? zoneOrUtc(name);
  zones.set(name, zone);
  return zone;
}

function zoneOrUtc(name: string): Zone {
  try {
    return makeZone(name);
  } catch {
    return utc;
  }
}
