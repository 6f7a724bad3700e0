/** [spec: Send error codes; upstream §3.7] The rows of the error table that pause a channel, for every content. */
import { expect, test } from '@jest/globals';
import { codeTable } from '../../src/rules/messages/error-table.ts';
import type { CodeRow } from '../../src/rules/messages/error-table.ts';
import { confirmation, everySend, messageToReactTo, sendAny } from '../support/every-send.ts';
import type { ContentName } from '../support/every-send.ts';
import { deferDelayMs } from '../../src/rules/messages/upstream-outcome.ts';
import { faultFor, ledger, newPerson, taken } from '../support/sends.ts';
import type { LedgerEntry } from '../support/sends.ts';
import { ownChannel } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import type { Channel, ChannelType } from '../support/world.ts';

const world = sharedWorld();

interface Sent {
  type: ChannelType;
  recipient: string;
  status: string;
  messageId: string;
}

type Planned = readonly [type: ChannelType, content: ContentName, recipient: string];

/** Everything that the channel's type can send, each to a new person. */
async function plan(own: Channel): Promise<Planned[]> {
  const all = everySend.flatMap(([type, content]): Planned[] =>
    type === own.type ? [[type, content, newPerson(type)]] : [],
  );
  for (const [, content, recipient] of all)
    if (content === 'reaction') await messageToReactTo(world.service, own, recipient);
  return all;
}

/** Concurrently. */
function each(
  own: Channel,
  planned: readonly Planned[],
  fault: Record<string, unknown> | null,
): Promise<Sent[]> {
  return Promise.all(
    planned.map(async ([type, content, recipient]) => {
      if (fault !== null) await faultFor(world.simulator, recipient, fault);
      const { body } = await taken(() => sendAny(world.service, world.simulator, own, content, recipient));
      return { type, recipient, status: body.status, messageId: body.message_id };
    }),
  );
}

const ofPages = new Set([32, 613, 80_001, 80_006]);
function kindOfThrottle({ code }: CodeRow): ChannelType {
  if (code === 80_002) return 'photoapp';
  return ofPages.has(code) ? 'pagechat' : 'chatapp';
}

const callsTo = (sends: readonly Sent[]): Promise<LedgerEntry[][]> =>
  Promise.all(sends.map(({ recipient }) => ledger(world.simulator, { recipient, outcome: 'all' })));
const outcomesOf = (calls: LedgerEntry[][]): string[][] =>
  calls.map((ofOne) => ofOne.map(({ outcome }) => outcome));

/** Those with a wait of minutes are shown in `rules/messages` and `upstream/send`. */
const throttles = codeTable.filter(({ pause, waitMs }) => pause === 'channel' && waitMs === undefined);
/** The first pause, by the service's own formula. */
const pauseMs = deferDelayMs(1, 'channel');

interface Round {
  statuses: Set<string>;
  first: string[][];
  meanwhile: string[][];
  /** Time from the first refusal to the first call of a send that came during the pause, ms. */
  waitedMs: number;
}

/** Upstream refuses each of the first sends once; it would accept those that come during the pause. */
async function round({ code }: CodeRow, own: Channel): Promise<Round> {
  const [refused, waiting] = [await plan(own), await plan(own)];
  const first = await each(own, refused, { act: 'refuse', code, status: 400 });
  const meanwhile = await each(own, waiting, null);
  const all = [...first, ...meanwhile];
  await Promise.all(all.map(({ type, messageId }) => world.inbox.event(confirmation[type], messageId)));
  const [firstCalls, meanwhileCalls] = [await callsTo(first), await callsTo(meanwhile)];
  const refusedAt = firstCalls.flat().flatMap(({ outcome, at }) => (outcome === 'refused' ? [at] : []));
  const calledAt = meanwhileCalls.flat().map(({ at }) => at);
  return {
    statuses: new Set(all.map(({ status }) => status)),
    first: outcomesOf(firstCalls),
    meanwhile: outcomesOf(meanwhileCalls),
    waitedMs: Math.min(...calledAt) - Math.min(...refusedAt),
  };
}

/** Repeats rounds until one's sends came during the pause: on a busy machine, the pause of a second may be over too soon. */
async function pausedRound(row: CodeRow, own: Channel): Promise<Round> {
  for (;;) {
    const seen = await round(row, own);
    const isOver = seen.waitedMs >= pauseMs && seen.statuses.has('sent');
    if (!isOver) return seen;
  }
}

test(`codes ${throttles.map(({ code }) => code).join(', ')}: a send is queued and sent once after the pause, and so is a send that comes during the pause`, async () => {
  const owns: [CodeRow, Channel][] = [];
  for (const row of throttles) {
    const own = await ownChannel(world, kindOfThrottle(row)); // one dialog at a time
    owns.push([row, own]);
  }
  const rounds = owns.map(async ([row, own]): Promise<[number, Round]> => [
    row.code,
    await pausedRound(row, own),
  ]);
  for (const [code, { statuses, first, meanwhile, waitedMs }] of await Promise.all(rounds)) {
    expect([code, ...statuses]).toEqual([code, 'queued']);
    expect([code, first]).toEqual([code, first.map(() => ['refused', 'accepted'])]);
    expect([code, meanwhile]).toEqual([code, meanwhile.map(() => ['accepted'])]);
    expect(waitedMs).toBeGreaterThanOrEqual(pauseMs);
  }
});
