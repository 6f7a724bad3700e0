/** Problems whose end upstream does not tell: shown for a day, and again if upstream tells them again. */
import type { UpstreamProblemCode } from '../../rules/channels/upstream-problems.ts';
import { dayMs } from '../../kernel/clock.ts';
import type { World } from '../world.ts';

const passing: readonly UpstreamProblemCode[] = ['messages_without_content', 'test_push_received'];

export async function forgetPassing({ stores, clock }: World, channelId: string): Promise<void> {
  const problems = (await stores.health.of(channelId))?.problems ?? [];
  const isOld = ({ since }: { since: number }): boolean => since <= clock.now() - dayMs;
  const over = problems.filter((each) => passing.includes(each.code) && isOld(each));
  if (over.length === 0) return;
  await stores.health.clearProblems(
    channelId,
    over.map(({ code }) => code),
    clock.now(),
  );
}
