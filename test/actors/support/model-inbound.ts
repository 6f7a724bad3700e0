/** The invariants of inbound messages. [spec: message.received data, rule 2; faults: I1] */
import { isFile } from '../../../actors/channel/inbound/state.ts';
import { limits } from '../../../actors/channel/limits.ts';
import { makeDeliveryId } from '../../../src/rules/events/built.ts';
import { inboundMessageId } from '../../../src/rules/events/received.ts';
import type { InboundMessage } from '../../../src/rules/messages/facts.ts';
import type { ModelHistory } from './model-history.ts';
import { rules } from './model-settings.ts';

const channelId = 'the-channel';

/** The message's deliveries, in the order of its parts. */
function deliveriesOf({ upstreamId, parts }: InboundMessage): string[] {
  const first = inboundMessageId(channelId, upstreamId);
  const ids = parts.map((_, n) => (n === 0 ? first : `${first}.${n + 1}`));
  return ids.map((id) => makeDeliveryId(channelId, id, 'message.received'));
}

export function brokenInbound(history: ModelHistory): string[] {
  const order = history.own.map(({ id }) => id);
  const placeOf = new Map(order.map((id, place) => [id, place]));
  return [
    ...toldInPart(history, placeOf),
    ...inOrder(history, placeOf),
    ...fetches(history),
    ...[...history.store.unmatched.values()].flatMap(({ id, dueAt }) =>
      dueAt === null ? [] : [`${id} is left waiting`],
    ),
  ];
}

/** Each message has all of its events or none, and all if it was answered 200. */
function toldInPart({ received, people }: ModelHistory, placeOf: ReadonlyMap<string, number>): string[] {
  return people.written.flatMap((message) => {
    const places = deliveriesOf(message).map((id) => placeOf.get(id));
    const [first] = places;
    if (first === undefined && received.has(message)) return [`${message.upstreamId} was never told`];
    const isWhole = places.every((place, n) => place === (first === undefined ? undefined : first + n));
    return isWhole ? [] : [`${message.upstreamId} was told in pieces: ${places.join(', ')}`];
  });
}

/**
 * The order of one person's messages: of a message with files, of those that came with it, and of those that were answered before it came. Except for one whose
 * file takes too long, and under two concurrent owners, which cannot know of each other.
 */
function inOrder(
  { store, received, brought, overtakes }: ModelHistory,
  placeOf: ReadonlyMap<string, number>,
): string[] {
  if (overtakes > 0) return [];
  const broken: string[] = [];
  for (const [earlier, asked] of received) {
    for (const [later, { batch }] of received) {
      const { order = 0, batch: firstBatch = 0 } = brought.get(later) ?? {};
      const { at = 0 } = brought.get(earlier) ?? {};
      const isSameBatch = batch === asked.batch && batch === firstBatch;
      const isOrdered = asked.answered <= order || earlier.parts.some(isFile) || isSameBatch;
      const isFirst = asked.order < order && isOrdered;
      if (earlier.from !== later.from || !isFirst) continue;
      const [firstId = ''] = deliveriesOf(later);
      const place = placeOf.get(firstId) ?? Infinity;
      const hasWaited = (store.deliveries.get(firstId)?.createdAt ?? 0) >= at + limits.fileOrderMs;
      if (!hasWaited && place < (placeOf.get(deliveriesOf(earlier)[0] ?? '') ?? Infinity))
        broken.push(`${later.upstreamId} was told before ${earlier.upstreamId}`);
    }
  }
  return broken;
}

/** Each owner makes this many attempts, and once more if upstream repeats the message. */
function fetches({ files, nodes, taken }: ModelHistory): string[] {
  return [...files.asked].flatMap(([name, times]) => {
    const repeated = taken.filter(
      (fact) => fact.kind === 'inbound' && name.startsWith(`${fact.upstreamId}/`),
    );
    const most = (rules.mediaRetryDelaysMs.length + 1) * (nodes.length + repeated.length);
    return times <= most ? [] : [`${name} was fetched ${times} times`];
  });
}
