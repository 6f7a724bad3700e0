/** Mails about a channel's problem that only a person can solve: once per problem and day. */
import type { Channel } from '../../rules/channels/channel.ts';
import type { HealthProblem } from '../../rules/channels/health.ts';
import { channelProblem } from '../../rules/mails/channels.ts';
import { dayMs } from '../../kernel/clock.ts';
import { idFrom } from '../../kernel/ids.ts';
import type { UseCaseDeps } from '../world.ts';
import { writeMail } from '../mails/write-mail.ts';

export async function mailProblem(
  deps: Pick<UseCaseDeps, 'stores' | 'sealer' | 'clock' | 'settings' | 'log'>,
  channel: Channel,
  problem: Pick<HealthProblem, 'code' | 'detail' | 'affects'>,
): Promise<void> {
  const { clock, settings } = deps;
  const { id, accountId } = channel;
  const now = clock.now();
  await writeMail(deps, {
    id: idFrom('mail', 'channel-problem', id, problem.code, String(Math.floor(now / dayMs))),
    accountId,
    kind: 'channel-problem',
    ...channelProblem(channel, problem, { now, baseUrl: settings.baseUrl }),
  });
}
