/** The outcomes of an account's deliveries over a span, from the hourly tally: as periods of one length, and as sums. */
import type { World } from '../world.ts';
import { dayMs, hourMs } from '../../kernel/clock.ts';
import { addCounts, findHour, noCounts } from '../deliveries/index.ts';
import type { DeliveryCounts, DeliveryHour } from '../deliveries/index.ts';

/** By the name in the URL; the first is shown without one. Periods begin at multiples of their length in UTC; the last one is under way. */
export const homeSpans = {
  '24h': { words: '24 hours', short: '24 h', periodMs: hourMs, periods: 24 },
  '7d': { words: '7 days', short: '7 d', periodMs: 6 * hourMs, periods: 28 },
  '30d': { words: '30 days', short: '30 d', periodMs: dayMs, periods: 30 },
} as const;

export type HomeSpan = keyof typeof homeSpans;

export const isHomeSpan = (name: string): name is HomeSpan => Object.hasOwn(homeSpans, name);

/** Times in ms. `isKnown`: not before there was anything to count. */
export interface Period extends Pick<DeliveryCounts, 'delivered' | 'retried' | 'givenUp'> {
  at: number;
  until: number;
  isKnown: boolean;
}

export interface History {
  span: HomeSpan;
  /** Oldest first. */
  periods: readonly Period[];
  /** Sum of the periods. */
  sum: DeliveryCounts;
  /** Start of the first hour that counts as today (ms). */
  today: number;
  /** Deliveries acknowledged by receivers since then. */
  takenToday: number;
}

interface Asked {
  accountId: string;
  /** Those whose given-up deliveries of the last minute are counted too. */
  channelIds: readonly string[];
  span: HomeSpan;
  today: number;
}

/** At most 720 stored hours are read. Includes this node's counts at once, those of other nodes within a minute. */
export async function readHistory(
  { deliveryTally, stores, clock }: Pick<World, 'deliveryTally' | 'stores' | 'clock'>,
  { accountId, channelIds, span, today }: Asked,
): Promise<History> {
  const now = clock.now();
  const { periodMs, periods: count } = homeSpans[span];
  const first = now - (now % periodMs) - (count - 1) * periodMs;
  const [hours, account] = await Promise.all([
    deliveryTally.hoursOf(accountId, channelIds, first),
    stores.accounts.byId(accountId),
  ]);
  const begins = findHour(account?.createdAt ?? 0);
  const known = mergeHours(hours);
  const starts = Array.from({ length: count }, (_, index) => first + index * periodMs);
  const periods = starts.map((at) => sumOf(known, at, at + periodMs, begins));
  return { span, periods, today, ...sumUp(known, { first, today, now }) };
}

/** What a replay takes back may have been lost with the node that counted it: no hour has less than none. */
function mergeHours(hours: readonly DeliveryHour[]): DeliveryHour[] {
  const merged = new Map<number, DeliveryHour>();
  for (const hour of hours) {
    const known = merged.get(hour.at);
    if (known === undefined) merged.set(hour.at, { ...hour });
    else addCounts(known, hour);
  }
  return [...merged.values()].map((hour) => ({ ...hour, givenUp: Math.max(0, hour.givenUp) }));
}

function sumOf(hours: readonly DeliveryHour[], at: number, until: number, begins: number): Period {
  const counts = noCounts();
  for (const hour of hours) if (hour.at >= at && hour.at < until) addCounts(counts, hour);
  const { delivered, retried, givenUp } = counts;
  const isKnown = until > begins || delivered + retried + givenUp > 0;
  return { at, until, isKnown, delivered, retried, givenUp };
}

function sumUp(
  hours: readonly DeliveryHour[],
  { first, today, now }: { first: number; today: number; now: number },
): Pick<History, 'sum' | 'takenToday'> {
  const sum = noCounts();
  let takenToday = 0;
  for (const hour of hours) {
    if (hour.at < first || hour.at > now) continue;
    addCounts(sum, hour);
    if (hour.at >= today) takenToday += hour.delivered + hour.retried;
  }
  return { sum, takenToday };
}
