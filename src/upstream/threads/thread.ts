/** What the readers of a page's or photo account's items share. [upstream §4.7, §4.8] */
import type { ChannelType } from '../../rules/vocabulary.ts';
import type { Json } from '../read.ts';

/** The page or account of an entry; `now` replaces a missing time. */
export interface Thread {
  channelType: ChannelType;
  identity: string;
  entry: Json;
  now: number;
}

export interface Item {
  given: Json;
  sender: string | null;
  recipient: string | null;
  at: number;
}

export type Left = 'ignored' | 'malformed';

/** Where the facts of an item go. */
type Route = { channelType: ChannelType; identity: string; otherIdentity?: string };

/** `own`: the account as the item names it; some of upstream's pages print the page's id in the entry of a photo account. [upstream §4.8] */
export function routeOf({ channelType, identity }: Thread, own: string | null): Route {
  return own === null || own === identity
    ? { channelType, identity }
    : { channelType, identity, otherIdentity: own };
}
