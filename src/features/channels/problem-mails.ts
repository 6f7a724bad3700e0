/** Mails about a channel's problem that only a person can solve: once per problem and day, and once more if it gets an effect. */
import type { Channel } from '../../rules/channels/channel.ts';
import type { HealthProblem } from '../../rules/channels/health.ts';
import { channelProblem } from '../../rules/mails/channels.ts';
import { dayMs } from '../../kernel/clock.ts';
import { idFrom } from '../../kernel/ids.ts';
import type { World } from '../world.ts';
import { writeMail } from '../mails/index.ts';

export async function mailProblem(
  world: Pick<World, 'stores' | 'sealer' | 'clock' | 'settings' | 'log'>,
  channel: Channel,
  problem: Pick<HealthProblem, 'code' | 'detail' | 'affects'>,
): Promise<void> {
  const { clock, settings } = world;
  const { id, accountId } = channel;
  const now = clock.now();
  const named = problem.affects.length === 0 ? `${problem.code} without effect` : problem.code;
  await writeMail(world, {
    id: idFrom('mail', 'channel-problem', id, named, String(Math.floor(now / dayMs))),
    accountId,
    kind: 'channel-problem',
    ...channelProblem(channel, problem, { now, baseUrl: settings.baseUrl }),
  });
}
