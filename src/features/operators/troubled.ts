/** Channels with a problem at upstream, for operators: all, or those with one problem. */
import { findProblems, listedProblems } from '../../rules/channels/health.ts';
import type { ChannelHealth, HealthProblem, ListedProblem } from '../../rules/channels/health.ts';
import { inTurns } from '../../kernel/clock.ts';
import type { World } from '../world.ts';
import { defaultLimit } from '../../kernel/paging.ts';
import type { Page, PagePosition, PageRequest } from '../../kernel/paging.ts';
import type { TroubledChannel } from './types.ts';

/** Records read for one page: a rare problem among many others makes a page short or empty. */
const maxRead = 2_000;
const perRead = 200;
/** Takes about 4 ms. */
const perTurn = 100;

/**
 * Active channels with this problem, or any if null, the longest troubled first. Refused tokens (`token_refused`) have no time and are one
 * page, of 1,000 at most. A page with a cursor may be short or empty. Throws StoreUnavailable.
 */
export async function listTroubled(
  world: World,
  code: ListedProblem | null,
  { limit, cursor }: PageRequest,
): Promise<Page<TroubledChannel>> {
  const most = limit ?? defaultLimit;
  if (code === 'token_refused') return refusedTokens(world, most);
  const items: TroubledChannel[] = [];
  let last = cursor;
  for (let read = 0; read < maxRead; read += perRead) {
    const found = await world.stores.health.troubled(perRead, positionIn(last));
    for await (const health of inTurns(found, perTurn)) {
      last = { createdAt: health.troubledSince ?? 0, id: health.channelId };
      const item = await withProblems(world, health);
      if (item === null || !hasProblem(item, code)) continue;
      items.push(item);
      if (items.length === most) return { items, nextCursor: last };
    }
    if (found.length < perRead) return { items, nextCursor: null };
  }
  return { items, nextCursor: last };
}

function positionIn(
  cursor: PagePosition | null,
): Pick<ChannelHealth, 'troubledSince' | 'channelId'> | undefined {
  return cursor === null ? undefined : { troubledSince: cursor.createdAt, channelId: cursor.id };
}

async function refusedTokens(world: World, most: number): Promise<Page<TroubledChannel>> {
  const items: TroubledChannel[] = [];
  for await (const health of inTurns(await world.stores.health.refused(most), perTurn)) {
    const item = await withProblems(world, health);
    if (item !== null) items.push(item);
  }
  return { items, nextCursor: null };
}

/** null: the channel is gone or inactive. */
async function withProblems({ stores }: World, health: ChannelHealth): Promise<TroubledChannel | null> {
  const channel = await stores.channels.byId(health.channelId);
  if (channel === null || !channel.isActive) return null;
  const known = new Set<string>(listedProblems);
  const problems = findProblems(channel, health, true).filter(({ code }) => known.has(code));
  return problems.length === 0 ? null : { channel, problems };
}

function hasProblem({ problems }: { problems: readonly HealthProblem[] }, code: string | null): boolean {
  return code === null || problems.some((problem) => problem.code === code);
}
