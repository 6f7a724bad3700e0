/** What a person sees first. */
import type { Channel } from '../../domain/channels/channel.ts';
import type { DeliveryCounts } from '../../domain/webhooks/delivery-hour.ts';
import type { Subscription } from '../../domain/licences/subscription.ts';
import type { FaringChannel } from '../channels/types.ts';
import type { Page } from '../ports/paging.ts';

/** A number, or at least so many. */
export interface Counted {
  count: number;
  isMore: boolean;
}

export interface HomeOverview {
  hasKey: boolean;
  /** The first of them. */
  channels: Page<FaringChannel>;
  /** Of the last 24, the oldest first. */
  hours: readonly (Pick<DeliveryCounts, 'delivered' | 'retried' | 'givenUp'> & { at: number })[];
  /** All 24 together. */
  day: DeliveryCounts;
  /** Taken by receivers since midnight, UTC. */
  takenToday: number;
  waiting: Counted;
  givenUp: GivenUpNews;
  /** That end soon and are not renewed, the first to end first. */
  endingLicences: readonly Subscription[];
}

/** What was given up since the person's last look; `since` null: they have not looked before. */
export interface GivenUpNews {
  since: number | null;
  /** The newest first. */
  channels: readonly (Counted & { channel: Channel })[];
  /** There are more channels with failures than were looked at. */
  isMore: boolean;
}
