/**
 * The pause of a number that was registered anew on its phone. It begins and ends with an event of upstream's; an end whose event was lost
 * is known by a message that came after it, or by what upstream answers about the number. [faults: 490]
 */
import { isPaused } from '../../rules/channels/channel.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import type { AccountFact, ChannelFact } from '../../rules/messages/facts.ts';
import { minuteMs } from '../../kernel/clock.ts';
import { announceChange, intendChange } from './announce-change.ts';
import type { World } from '../world.ts';

type PauseWorld = Pick<World, 'stores' | 'clock' | 'channelCache' | 'cluster' | 'router' | 'log'>;

/** Both times only grow, so that a pause that is told again after its end pauses nothing. */
export async function pauseOrResume(
  world: World,
  { id }: Channel,
  { change, at }: Pick<AccountFact, 'change' | 'at'>,
): Promise<void> {
  const { channels, health } = world.stores;
  await intendChange(world, id);
  const times = change === 'paused' ? { sendsPausedAt: at } : { sendsResumedAt: at };
  const channel = await channels.noteSendPause(id, times);
  if (channel === null) return;
  if (isPaused(channel)) await notePause(world, id, at);
  else await health.clearProblems(id, ['sends_paused'], at);
  await announceChange(world, id);
}

/**
 * A pause that began by `at` is over; a later one stays. Most channels for which this is called are not paused: they are read first, so that
 * nobody is told of nothing. An event of upstream's is told unread, because what was read may have changed until the write.
 */
export async function endPause(world: PauseWorld, { id }: Pick<Channel, 'id'>, at: number): Promise<void> {
  const before = await world.stores.channels.byId(id);
  if (before === null) return;
  if (isPaused(before)) await intendChange(world, id);
  const after = await world.stores.channels.noteSendPause(id, { sendsResumedAt: at });
  if (after === null || isPaused(after)) return;
  await world.stores.health.clearProblems(id, ['sends_paused'], at);
  if (isPaused(before)) await announceChange(world, id);
}

/** What was sent while upstream took the number away may be told as if it had come a moment later. */
const underWayMs = minuteMs;

/** Of a paused channel. Such a number gets no messages: one that was written after its pause began says that it is back. */
export async function endPauseByMessage(
  world: PauseWorld,
  channel: Channel,
  facts: readonly ChannelFact[],
): Promise<void> {
  const pausedAt = channel.sendsPausedAt ?? 0;
  const last = Math.max(...facts.map((fact) => (isMessage(fact) ? fact.at : 0))) - underWayMs;
  if (last >= pausedAt) await endPause(world, channel, last);
}

function isMessage({ kind }: ChannelFact): boolean {
  return kind === 'inbound' || kind === 'echo';
}

async function notePause({ stores, counters }: World, channelId: string, at: number): Promise<void> {
  const isNew = await stores.health.noteProblem(channelId, { code: 'sends_paused' }, at);
  if (isNew) counters.increment('channel_problems_total', { code: 'sends_paused' });
}
