import type { PersonChange } from '../../rules/messages/facts.ts';
import { asId, asRecord, asText, asTime } from '../read.ts';
import type { Json } from '../read.ts';
import { withoutPlus } from './names.ts';

/** The notice about a new number or a new business-scoped id; every other notice of upstream's is ignored. [upstream §4.2] */
export function readPersonChange(
  message: Json,
  { identity, now }: { identity: string; now: number },
): PersonChange | 'ignored' | 'malformed' {
  const system = asRecord(message['system']);
  const type = asText(system?.['type']);
  if (system === null || (type !== 'user_changed_number' && type !== 'user_changed_user_id'))
    return 'ignored';
  const upstreamId = asId(message['id']);
  if (upstreamId === null) return 'malformed';
  const sender = withoutPlus(asId(message['from']));
  const userId = asId(system['user_id']);
  const number = type === 'user_changed_number' ? readNumber(system) : null;
  const from = number ?? (type === 'user_changed_number' ? userId : (sender ?? userId));
  if (from === null) return 'ignored';
  const at = asTime(message['timestamp']) ?? now;
  const change: PersonChange = { kind: 'person', channelType: 'chatapp', identity, upstreamId, from, at };
  if (userId !== null) change.userId = userId;
  if (sender !== null && sender !== from) change.previousFrom = sender;
  const previousUserId = asId(system['previous_user_id']);
  if (previousUserId !== null) change.previousUserId = previousUserId;
  return change;
}

/** Webhooks of older versions have `new_wa_id`; the version is a setting of the app. [upstream §4.2] */
function readNumber(system: Json): string | null {
  return withoutPlus(asId(system['wa_id']) ?? asId(system['new_wa_id']));
}
