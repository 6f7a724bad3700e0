/** Mails about a channel's problem that only a person can solve: once per problem and day. */
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
  await writeMail(world, {
    id: idFrom('mail', 'channel-problem', id, problem.code, String(Math.floor(now / dayMs))),
    accountId,
    kind: 'channel-problem',
    ...channelProblem(channel, problem, { now, baseUrl: settings.baseUrl }),
  });
}
