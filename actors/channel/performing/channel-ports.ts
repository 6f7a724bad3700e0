import type { Sealer } from '../../../src/kernel/sealed.ts';
import type { Log } from '../../../src/kernel/log.ts';
import type { Work } from '../../runtime/actor.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import type { lruCache } from '../../../src/kernel/lru-cache.ts';
import type { ChannelEffect, ChannelMessage } from '../messages.ts';
import type {
  ChannelJournal,
  ReplayBook,
  StoredCopies,
} from '../../../src/storage/journal/channel-journal.ts';
import type {
  AccountReceiver,
  EchoQuestion,
  Quarantine,
  Receivers,
  FileFetcher,
  LiveFeed,
  Upstream,
  WebhookPoster,
} from '../../../src/rules/outside.ts';
import type { FetchesUnderWay, Suspects } from './under-way.ts';
import type { Places } from './places.ts';
import type { RecentMessages } from './recent-messages.ts';
import type { TellStoreFailure } from './store-failures.ts';

/** Everything the effects of a channel use. */
export interface ChannelPorts {
  store: ChannelJournal;
  replays: ReplayBook;
  upstream: Upstream;
  webhooks: WebhookPoster;
  files: FileFetcher;
  echoes: EchoQuestion;
  quarantine: Quarantine;
  accountReceiver: AccountReceiver;
  receivers: Receivers;
  /** The owners of endpoints, on whatever node. */
  owners: { wake(ownerId: string, stored: StoredCopies): void };
  sealer: Sealer;
  live: LiveFeed;
  clock: Clock;
  log: Log;
}

/** The ports, and the memory that the effects of all channels of a node share. */
export interface OwnPorts extends ChannelPorts {
  recent: RecentMessages;
  fetches: FetchesUnderWay;
  suspects: Suspects;
  suspectPosts: Suspects;
  places: Places;
  names: { firstTold(channelId: string, name: string): string };
  storeFailed: TellStoreFailure;
  /** Ids of the mails that are in the log of a node. */
  loggedMails: ReturnType<typeof lruCache<true>>;
}

export type ChannelWork = Work<ChannelMessage>;
export type EffectNamed<E extends ChannelEffect['effect']> = Extract<ChannelEffect, { effect: E }>;
