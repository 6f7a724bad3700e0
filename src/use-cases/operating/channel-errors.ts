/** Recent errors of a channel by code, for operators who diagnose it. [portal: the operators' Channel] */
import { withoutUpstreamWords } from '../../domain/messages/error-codes.ts';
import { listCalls } from '../../domain/messages/timeline.ts';
import type { MessageRecord } from '../../domain/messages/timeline.ts';
import { parseAttempts } from '../../domain/webhooks/attempt-log.ts';
import type { Channel } from '../../domain/channels/channel.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { LoggedDelivery } from '../ports/delivery-log.ts';
import type { ChannelError } from './types.ts';

/** Newest sends and newest deliveries examined. */
const newest = 200;
/** Unsuccessful sends whose call log is read, one query each. */
const mostRead = 50;

/** Each code with its count, latest first; without message text and upstream's own words. */
export async function channelErrors(deps: UseCaseDeps, channel: Channel): Promise<ChannelError[]> {
  const [sends, deliveries] = await Promise.all([ailingSends(deps, channel), lately(deps, channel)]);
  const seen = [...sends.flatMap(errorsOfSend), ...deliveries.flatMap(errorsOfDelivery)];
  const byCode = new Map<string, ChannelError>();
  for (const { at, ...error } of seen) {
    const key = `${error.of} ${error.code}`;
    const known = byCode.get(key);
    const [count, lastAt] = [(known?.count ?? 0) + 1, Math.max(known?.lastAt ?? 0, at)];
    byCode.set(key, { ...(known === undefined || at > known.lastAt ? error : known), count, lastAt });
  }
  return [...byCode.values()].toSorted((a, b) => b.lastAt - a.lastAt);
}

type SeenError = Omit<ChannelError, 'count' | 'lastAt'> & { at: number };

async function ailingSends(
  { stores, clock, settings }: UseCaseDeps,
  { id: channelId, accountId }: Channel,
): Promise<MessageRecord[]> {
  const since = clock.now() - settings.deliveryLogMs;
  // The clock of the node that accepted a send may be ahead of ours.
  const before = { createdAt: clock.now() + 60_000, id: '' };
  const sent = await stores.messageList.sent({
    accountId,
    channelId,
    person: null,
    since,
    before,
    limit: newest,
  });
  const ailing = sent.filter(({ state, deliveryFailed }) => state !== 'sent' || deliveryFailed);
  const ids = ailing.slice(0, mostRead).map(({ id }) => id);
  const found = await Promise.all(ids.map((id) => stores.messageLog.find({ accountId, channelId, id })));
  return found.filter((message) => message !== null);
}

async function lately(
  { stores, clock, settings }: UseCaseDeps,
  { id: channelId, accountId }: Channel,
): Promise<LoggedDelivery[]> {
  const { items } = await stores.deliveryLog.list({
    accountId,
    channelId,
    since: clock.now() - settings.deliveryLogMs,
    event: null,
    state: null,
    page: { limit: newest, cursor: null },
  });
  return items;
}

function errorsOfSend(message: MessageRecord): SeenError[] {
  const calls = listCalls(message).flatMap(({ at, outcome, error, code }): SeenError[] =>
    outcome === null || outcome === 'accepted'
      ? []
      : [{ of: 'send', code: String(code ?? outcome), words: ownWords(error), at }],
  );
  const { deliveryFailed, failedAt, errorCode, error } = message;
  if (!deliveryFailed || failedAt === null) return calls;
  return [
    ...calls,
    { of: 'send', code: String(errorCode ?? 'failed'), words: ownWords(error), at: failedAt },
  ];
}

function ownWords(error: string | null): string | null {
  return error === null ? null : withoutUpstreamWords(error);
}

function errorsOfDelivery({ attemptLog }: LoggedDelivery): SeenError[] {
  return parseAttempts(attemptLog).flatMap(({ at, status, failure }): SeenError[] => {
    if (failure === null) return [];
    const code = failure === 'status' ? String(status ?? failure) : failure;
    return [{ of: 'delivery', code, words: null, at }];
  });
}
