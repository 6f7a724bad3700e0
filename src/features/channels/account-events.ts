/** What upstream tells of a business account, on each of its channels. Every write may be repeated: upstream repeats its events for days. */
import type { Channel } from '../../rules/channels/channel.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import { describeProblem } from '../../rules/channels/upstream-problems.ts';
import type { NewProblem, UpstreamProblemCode } from '../../rules/channels/upstream-problems.ts';
import type { AccountFact } from '../../rules/messages/facts.ts';
import { commonForm } from '../../rules/phone-number.ts';
import { yieldToLoop } from '../../kernel/clock.ts';
import type { World } from '../world.ts';
import { maxOnAsset, readDigits } from './probe-on-event.ts';
import { mailProblem } from './problem-mails.ts';
import { endPause, pauseOrResume } from './send-pauses.ts';

/** What a change puts on record, and what it ends. */
const meanings: Readonly<
  Record<Exclude<AccountFact['change'], 'paused' | 'resumed'>, NewProblem | { ends: UpstreamProblemCode[] }>
> = {
  removed: { code: 'access_removed' },
  deleted: {
    code: 'access_removed',
    detail: 'Its business account was deleted at upstream; connect the number again under another account',
  },
  disabled: { code: 'account_disabled' },
  'to-be-disabled': {
    code: 'account_restricted',
    detail: 'Upstream will disable the business account; appeal in its business settings',
    affects: [],
  },
  reinstated: { ends: ['account_disabled', 'account_restricted', 'sends_blocked'] },
  restricted: { code: 'account_restricted' },
  limited: {
    code: 'account_restricted',
    detail:
      "Upstream has restricted something of the business account that messages do not need; see upstream's business settings",
    affects: [],
  },
  violated: {
    code: 'account_restricted',
    detail: "Upstream has found a breach of its policies; see upstream's business settings",
    affects: [],
  },
};

/** Durable when it resolves. Throws StoreUnavailable; then upstream repeats the POST. */
export async function applyAccountFacts(
  world: World,
  facts: readonly AccountFact[],
  requestId?: string,
): Promise<void> {
  for (const fact of facts) {
    // A partner's apps are told of each other. [upstream §4.6]
    if (fact.appId !== undefined && fact.appId !== world.upstreamApp.appId) continue;
    const channels = await world.stores.channels.activeOn(fact.businessAccountId, maxOnAsset);
    for (const channel of channels) if (concerns(fact, channel)) await apply(world, channel, fact, requestId);
    // A POST may hold a thousand. [faults: 94]
    await yieldToLoop();
  }
}

/** Upstream's times of such events. */
const secondMs = 1_000;

/** An event from before the last connection is about the access before. */
function concerns({ phoneNumber, at, change }: AccountFact, channel: Channel): boolean {
  if (at + secondMs <= (channel.connectedAt ?? 0)) return false;
  if (phoneNumber !== null) return commonForm(phoneNumber) === commonForm(readDigits(channel));
  // Only a number on a phone is off-boarded, but the event names just its account. An unknown number may be the one.
  return change !== 'paused' || kindOf(channel.channelType).isOnPhone(channel.profile) !== false;
}

async function apply(
  world: World,
  channel: Channel,
  fact: AccountFact,
  requestId: string | undefined,
): Promise<void> {
  const { change, says } = fact;
  world.log.warn({ channel: channel.id, request_id: requestId, change, says }, 'channel.account-changed');
  if (change === 'paused' || change === 'resumed') return pauseOrResume(world, channel, fact);
  const meaning = meanings[change];
  if ('ends' in meaning)
    return void (await world.stores.health.clearProblems(channel.id, meaning.ends, fact.at));
  // Upstream tells no end of a pause to whom it has removed. What waits is called, and upstream's answer says what is the matter.
  if (meaning.code === 'access_removed') await endPause(world, channel, fact.at);
  const own = describeProblem(meaning);
  const problem = { ...own, detail: says === null ? own.detail : `${own.detail} (${says})` };
  if (!(await world.stores.health.noteProblem(channel.id, problem, fact.at))) return;
  world.counters.increment('channel_problems_total', { code: problem.code });
  await mailProblem(world, channel, problem);
}
