/** The time zone of the person, which the browser tells with a cookie; UTC if it does not. */
import type { IncomingMessage } from 'node:http';
import { lruCache } from '../kernel/lru-cache.ts';

/** Also set by `client/zone.ts`. */
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
  };
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
