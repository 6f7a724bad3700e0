/** The portal's Home page. */
import type { Channel } from '../../domain/channels/channel.ts';
import type { DeliveryCounts } from '../../domain/webhooks/delivery-hour.ts';
import type { Subscription } from '../../domain/licences/subscription.ts';
import type { FaringChannel } from '../channels/types.ts';
import type { Page } from '../ports/paging.ts';

/** A count; `isMore`: a lower bound. */
export interface Counted {
  count: number;
  isMore: boolean;
}

export interface HomeOverview {
  hasKey: boolean;
  /** The first channels of the account. */
  channels: Page<FaringChannel>;
  /** Last 24 hours, oldest first. */
  hours: readonly (Pick<DeliveryCounts, 'delivered' | 'retried' | 'givenUp'> & { at: number })[];
  /** Sum of the 24 hours. */
  day: DeliveryCounts;
  /** Deliveries acknowledged by receivers since midnight UTC. */
  takenToday: number;
  waiting: Counted;
  givenUp: GivenUpNews;
  /** Licences that end soon and are not renewed, earliest end first. */
  endingLicences: readonly Subscription[];
}

/** Deliveries given up since the person's last visit; `since` null: first visit. */
export interface GivenUpNews {
  since: number | null;
  /** Latest failure first. */
  channels: readonly (Counted & { channel: Channel })[];
  /** Some channels with failures were not examined. */
  isMore: boolean;
}
