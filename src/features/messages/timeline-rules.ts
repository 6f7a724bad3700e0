/** A message's timeline, derived from its record. */
import type {
  EndedCall,
  LoggedCall,
  DeliveryStatus,
  OutboundMessage,
  StatusTimes,
} from '../../rules/messages/message.ts';
import { deliveryStatuses, rankOf, statusTimes } from '../../rules/messages/message.ts';

/** A message without its content. */
export type MessageRecord = Omit<OutboundMessage, 'content'>;

type Called = Pick<OutboundMessage, 'calls' | 'tries' | 'attemptedAt' | 'upstreamIds' | 'sentAt'>;

/** `outcome` null: the call is running. */
export type TimelineCall = Omit<EndedCall, 'outcome'> & { outcome: LoggedCall['outcome'] | null };

/** Every call in order. An unlogged last call is derived from the record: its start, and whether upstream accepted it. */
export function listCalls({ calls, tries, attemptedAt, upstreamIds, sentAt }: Called): TimelineCall[] {
  const logged = calls ?? {};
  const all: TimelineCall[] = [];
  for (let n = 1; n <= tries; n += 1) {
    const known = logged[n];
    if (known !== undefined) all.push({ n, ...known, endedAt: readEnd(known) });
    else if (n === tries) {
      const isTaken = upstreamIds.length > 0;
      const endedAt = readEnd({ at: attemptedAt, endedAt: isTaken ? sentAt : null });
      const outcome = isTaken ? ('accepted' as const) : null;
      all.push({ n, at: attemptedAt, endedAt, outcome, error: null, code: null, traceId: null });
    }
  }
  return all;
}

/** If a status proved the acceptance, the end is upstream's time in whole seconds, which may be before the start: takes the later. */
function readEnd({ at, endedAt }: Pick<LoggedCall, 'at' | 'endedAt'>): number | null {
  return endedAt === null ? null : Math.max(at, endedAt);
}

interface ReachedStatus {
  status: DeliveryStatus;
  at: number;
}

/** Each status that upstream reported, by time; implied statuses are not included. */
export function listStatuses(message: StatusTimes): ReachedStatus[] {
  const reached = deliveryStatuses.flatMap((status) => {
    const at = message[statusTimes[status]];
    return at === null ? [] : [{ status, at }];
  });
  return reached.toSorted((a, b) => a.at - b.at);
}

/** The current status: the highest one seen; `failed` only without `delivered` or `read`. [spec: Delivery status of a message] */
export function currentStatus({
  rank,
  deliveryFailed,
  state,
}: Pick<MessageRecord, 'rank' | 'deliveryFailed' | 'state'>): DeliveryStatus | null {
  if (rank >= rankOf('read')) return 'read';
  if (rank >= rankOf('delivered')) return 'delivered';
  if (deliveryFailed || state === 'failed') return 'failed';
  return state === 'sent' ? 'sent' : null;
}
