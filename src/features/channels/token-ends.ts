/**
 * Tokens that end. Their end is asked once for each token; one that ends soon is replaced by another, which upstream gives for it as long as
 * it lives. What upstream refuses is tried again each day, and mailed when the end is near: once 14, 7 and 1 day before. The replacement is
 * written only over the token that was renewed, so neither a second node nor a connection meanwhile is undone. [upstream §1.2; faults: 243]
 */
import { tokenEnd } from '../../rules/channels/channel.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import type { UpstreamProblem } from '../../rules/channels/upstream-problems.ts';
import { tokenEnding } from '../../rules/mails/channels.ts';
import { sealContext } from '../../kernel/sealed.ts';
import { dayMs } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/faults.ts';
import { idFrom, shortHash } from '../../kernel/ids.ts';
import { announceChange, intendChange } from './announce-change.ts';
import type { World } from '../world.ts';
import { writeMail } from '../mails/index.ts';

const mailedDaysBefore = [1, 7, 14] as const;

/** Whether `keepToken` has anything to do. From memory. */
export function needsCare(channel: Channel, now: number, renewBeforeMs: number): boolean {
  if (channel.token === null) return false;
  const end = tokenEnd(channel);
  return channel.tokenExpiresAt === null || (end !== null && end > now && end - now <= renewBeforeMs);
}

/** Learns the end of the channel's token, or renews it. An upstream that does not answer is asked again at the next look. */
export async function keepToken(world: World, channel: Channel): Promise<void> {
  try {
    const end = tokenEnd(channel);
    if (channel.tokenExpiresAt === null) await learnEnd(world, channel);
    else if (end !== null) await renew(world, channel, end);
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    world.log.info({ channel: channel.id, why: thrown.message }, 'channel.token-not-kept');
  }
}

async function learnEnd({ stores, upstream }: World, channel: Channel): Promise<void> {
  const tokenExpiresAt = await upstream.tokenEnd(channel);
  await stores.channels.replaceToken(channel, { token: channel.token, tokenExpiresAt });
}

async function renew(world: World, channel: Channel, end: number): Promise<void> {
  const { stores, upstream, sealer, clock, counters, log } = world;
  const { id } = channel;
  const known = (await stores.health.of(id))?.problems?.find(({ code }) => code === 'token_ending');
  if (!isDue(known, clock.now())) return mailIfNear(world, channel, end);
  const renewed = await upstream.renewToken(channel);
  if (renewed === 'refused') {
    counters.increment('token_renewals_total', { outcome: 'refused' });
    log.warn({ channel: id, ends_at: new Date(end).toISOString() }, 'channel.token-not-renewed');
    const nextTryAt = clock.now() + dayMs;
    if (await stores.health.noteProblem(id, { code: 'token_ending', nextTryAt }, clock.now()))
      counters.increment('channel_problems_total', { code: 'token_ending' });
    return mailIfNear(world, channel, end);
  }
  await intendChange(world, id);
  const token = sealer.sealText(renewed.token, sealContext.token(id));
  if (!(await stores.channels.replaceToken(channel, { token, tokenExpiresAt: renewed.expiresAt }))) return;
  counters.increment('token_renewals_total', { outcome: 'renewed' });
  log.info({ channel: id }, 'channel.token-renewed');
  await stores.health.clearProblems(id, ['token_ending'], clock.now());
  await announceChange(world, id);
}

function isDue(known: UpstreamProblem | undefined, now: number): boolean {
  return known === undefined || (known.nextTryAt ?? 0) <= now;
}

/** One mail for each mark: of several that have passed unseen, the last. */
async function mailIfNear(world: World, channel: Channel, end: number): Promise<void> {
  const { clock, settings } = world;
  const left = end - clock.now();
  const days = mailedDaysBefore.find((mark) => left <= mark * dayMs);
  if (days === undefined) return;
  const tokenHash = String(shortHash(channel.token ?? ''));
  await writeMail(world, {
    id: idFrom('mail', 'token-ending', channel.id, tokenHash, String(days)),
    accountId: channel.accountId,
    kind: 'channel-problem',
    ...tokenEnding(channel, { end, baseUrl: settings.baseUrl }),
  });
}
