import type { Channel } from '../../rules/channels/channel.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import { requireOperable } from '../../rules/licences/operability.ts';
import { fault, fieldFault } from '../../kernel/faults.ts';
import type { Caller } from '../../rules/caller.ts';
import { underRequest } from '../world.ts';
import type { World } from '../world.ts';
import { noSuchChannel } from '../channels/index.ts';
import type { SenderProfileAnswer } from './schemas.ts';

/** The form of `data.from`; checked before it becomes part of an upstream path. */
const scopedId = /^[0-9]{1,64}$/;

/**
 * A person's profile. [spec: Sender profile; operator-interface §4] Throws 404 `not_found` (also if the kind has no profiles), 422, 400
 * `channel_inactive`, `channel_without_token`, and on a cache miss 402 `licence_inactive`, 502 `upstream_failed`,
 * 503 `overloaded`.
 */
export async function senderProfile(
  given: World,
  caller: Caller,
  asked: { channelId: string; userId: string },
): Promise<SenderProfileAnswer> {
  const world = underRequest(given, caller.requestId);
  const { userId } = asked;
  const found = await world.channelCache.inAccount(asked.channelId, caller.accountId);
  if (found === null) throw noSuchChannel();
  const { channel, subscription } = found;
  const { channelType } = channel;
  if (!kindOf(channelType).showsProfiles)
    throw fault('not_found', { what: 'Sender profile', why: `${channelType} channels have none` });
  requireScopedId(userId);
  if (!channel.isActive) throw fault('channel_inactive');
  if (channel.token === null) throw fault('channel_without_token');
  const known = await world.knownProfiles.known(channel, userId);
  if (known !== undefined) return makeAnswer(channel, userId, { ...known, cached: true });
  requireOperable(subscription, world.clock.now(), world.settings.graceMs);
  return makeAnswer(channel, userId, {
    ...(await world.knownProfiles.ask(world.profiles, channel, userId)),
    cached: false,
  });
}

function requireScopedId(userId: string): void {
  if (scopedId.test(userId)) return;
  const msg = `String should match pattern '${scopedId.source}'`;
  throw fieldFault(['path', 'user_id'], msg, 'string_pattern_mismatch');
}

function makeAnswer(
  { id: channelId, channelType }: Channel,
  userId: string,
  shown: Pick<SenderProfileAnswer, 'profile' | 'cached'>,
): SenderProfileAnswer {
  return { channelId, channelType, userId, ...shown };
}
