/** Which channel each fact of a POST is for: by our own identity records only, whatever the POST says. [faults: 50] */
import type { Channel } from '../../rules/channels/channel.ts';
import { isOfAsset } from '../../rules/messages/facts.ts';
import type { ChannelFact, UpstreamFact } from '../../rules/messages/facts.ts';
import type { World } from '../world.ts';

/** The facts of a POST for one upstream identity, in upstream's order. */
export interface IdentityFacts {
  channelType: Channel['channelType'];
  identity: string;
  facts: ChannelFact[];
}

export function groupByIdentity(facts: readonly UpstreamFact[]): IdentityFacts[] {
  const groups = new Map<string, IdentityFacts>();
  for (const fact of facts) {
    if (isOfAsset(fact)) continue;
    const { channelType, identity } = fact;
    const key = `${channelType}:${identity}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { channelType, identity, facts: [fact] });
    else group.facts.push(fact);
  }
  return [...groups.values()];
}

/** undefined for identities that no channel holds. */
export type Owners = Map<IdentityFacts, Channel | undefined>;

export async function collectOwners(
  { channelCache }: World,
  groups: readonly IdentityFacts[],
): Promise<Owners> {
  const owners: Owners = new Map();
  const unknown: IdentityFacts[] = [];
  for (const group of groups) {
    const owner = channelCache.remembered(group.channelType, group.identity);
    if (owner === null) unknown.push(group);
    else owners.set(group, owner);
  }
  await findOwners(channelCache, unknown, owners);
  return owners;
}

/** Adds groups for facts of an identity that nobody holds, under the other name that upstream gave the channel. */
export async function tryOtherIdentities(
  { channelCache }: World,
  groups: IdentityFacts[],
  owners: Owners,
): Promise<void> {
  const renamed: ChannelFact[] = [];
  for (const group of groups) {
    if (owners.get(group) !== undefined) continue;
    const isNamedTwice = ({ otherIdentity }: ChannelFact): boolean => otherIdentity !== undefined;
    const others = group.facts.filter(isNamedTwice);
    group.facts = group.facts.filter((fact) => !isNamedTwice(fact));
    for (const fact of others) renamed.push({ ...fact, identity: fact.otherIdentity ?? fact.identity });
  }
  const found = groupByIdentity(renamed);
  groups.push(...found);
  await findOwners(channelCache, found, owners);
}

/** One store query per channel type. */
async function findOwners(
  channelCache: World['channelCache'],
  unknown: readonly IdentityFacts[],
  owners: Owners,
): Promise<void> {
  const types = new Set(unknown.map((group) => group.channelType));
  const lookups = [...types].map(async (channelType) => {
    const ofType = unknown.filter((group) => group.channelType === channelType);
    const found = await channelCache.byIdentity(
      channelType,
      ofType.map((group) => group.identity),
    );
    for (const group of ofType) owners.set(group, found.get(group.identity));
  });
  await Promise.all(lookups);
}
