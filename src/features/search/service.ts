/** What an account has of what somebody types: people, channels, messages, deliveries, templates, requests, keys. Each look-up is bounded. */
import { addressIn } from '../../rules/email.ts';
import type { Caller } from '../../rules/caller.ts';
import { showKey, showKeyName } from '../../rules/api-key.ts';
import type { World } from '../world.ts';
import { findTyped, wordsOf } from '../channels/index.ts';
import { channelOfDelivery, channelOfMessage, findPeople, messageCalled } from '../messages/index.ts';
import { listRequests } from '../requests/index.ts';
import { findTypedTemplates } from '../templates/index.ts';
import {
  channelPath,
  deliveryPath,
  keysPath,
  messagePath,
  peoplePath,
  personPath,
  templatesPath,
} from '../../pages/paths.ts';

interface Hit {
  path: string;
  words: string;
}

export interface HitGroup {
  name: string;
  hits: readonly Hit[];
  /** There are more that are not shown. */
  isMore?: boolean;
}

/** Of one group. */
const most = 10;
const mostKeys = 50;
const anId = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?:\.\d{1,3})?$/;

/** Groups with hits, the most likely first. Data of another account is not found. */
export async function searchAccount(world: World, caller: Caller, typed: string): Promise<HitGroup[]> {
  // As it is copied: with quotes, or the comma behind it.
  const text = typed.replace(/^["'`]?([^]*?)["'`]?,?$/, '$1').trim();
  const id = text.toLowerCase();
  const groups = anId.test(id)
    ? [
        await channelsLike(world, caller, id),
        await messages(world, caller, id),
        await deliveries(world, caller, id),
      ]
    : [
        await people(world, caller, text),
        await channelsLike(world, caller, text),
        await upstreamMessages(world, caller, text),
      ];
  groups.push(
    await templates(world, caller, id),
    await requests(world, caller, text),
    await keys(world, caller, id),
    await members(world, caller, id),
  );
  return groups.filter(({ hits }) => hits.length > 0);
}

async function people(world: World, caller: Caller, text: string): Promise<HitGroup> {
  const found = await findPeople(world, caller, text, most);
  const hits = found.people.map((person) => ({ path: personPath(person), words: person }));
  return { name: 'Messages with', hits, isMore: found.isMore };
}

async function channelsLike(world: World, caller: Caller, text: string): Promise<HitGroup> {
  const found = await findTyped(world, caller, text, { most, fits: () => true });
  const hits = found.items.map((channel) => ({ path: channelPath(channel.id), words: wordsOf(channel) }));
  return { name: 'Channels', hits, isMore: found.isMore };
}

async function messages(world: World, caller: Caller, id: string): Promise<HitGroup> {
  const channelId = await channelOfMessage(world, caller, id);
  const hits = channelId === null ? [] : [{ path: messagePath(channelId, id), words: id }];
  return { name: 'Messages', hits };
}

async function upstreamMessages(world: World, caller: Caller, text: string): Promise<HitGroup> {
  const found = /\s/.test(text) ? null : await messageCalled(world, caller, text);
  const hits = found === null ? [] : [{ path: messagePath(found.channelId, found.messageId), words: text }];
  return { name: 'Messages', hits };
}

async function deliveries(world: World, caller: Caller, id: string): Promise<HitGroup> {
  const channelId = await channelOfDelivery(world, caller, id);
  const hits = channelId === null ? [] : [{ path: deliveryPath({ channelId, id }), words: id }];
  return { name: 'Deliveries', hits };
}

/** To the templates of a channel that has it: every role sees that page. */
async function templates(world: World, caller: Caller, text: string): Promise<HitGroup> {
  const { items, isMore } = await findTypedTemplates(world, caller, text, most);
  const hits = items.map(({ channelId, name, language }) => ({
    path: `${templatesPath}?${new URLSearchParams({ channel: channelId, name }).toString()}`,
    words: `${name} (${language})`,
  }));
  return { name: 'Templates', hits, isMore };
}

/** By the whole id: it is a client's own text, or ours. */
async function requests(world: World, caller: Caller, requestId: string): Promise<HitGroup> {
  const page = { limit: 1, cursor: null };
  const found = await listRequests(world, caller, { requestId, since: null }, page);
  const path = `/portal/requests?${new URLSearchParams({ id: requestId }).toString()}`;
  return {
    name: 'Requests',
    hits: found.requests.map(({ method, route }) => ({ path, words: `${method} ${route}` })),
  };
}

/** By name, or by the characters that are shown of the key. */
async function keys({ stores }: World, { accountId }: Caller, text: string): Promise<HitGroup> {
  const { items } = await stores.keys.page(accountId, { limit: mostKeys, cursor: null });
  const fitting = items.filter((key) =>
    [key.id, key.name ?? '', showKey(key), key.lastFour ?? ''].some((each) =>
      each.toLowerCase().includes(text),
    ),
  );
  const hits = fitting.map((key) => ({
    path: keysPath,
    words: `${showKeyName(key)} (${showKey(key)})`,
  }));
  return { name: 'API keys', hits: hits.slice(0, most), isMore: hits.length > most };
}

async function members({ stores }: World, { accountId }: Caller, text: string): Promise<HitGroup> {
  const all = await stores.people.ofAccount(accountId);
  const hits = all.flatMap(({ email }) => {
    const words = addressIn(email);
    return words.toLowerCase().includes(text) ? [{ path: peoplePath, words }] : [];
  });
  return { name: 'People', hits: hits.slice(0, most), isMore: hits.length > most };
}
