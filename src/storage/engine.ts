/** What an engine gives to the stores of the features: records, and what it implements itself. */
import type { ChannelHoldings } from './channel-holdings.ts';
import type { KeptDeliveryStore } from './kept-deliveries.ts';
import type { MediaStore } from './media-store.ts';
import type { DueWorkStore } from './due-work.ts';
import type { NewItem, RecordsOf } from './records.ts';
import type { SendStore } from './sends.ts';
import type { WholeMails } from './whole-mails.ts';

/**
 * Every call throws StoreUnavailable if the store cannot be reached within its time budget. Where a call takes the signal `stopping`, it begins
 * no further slice once that has aborted.
 */
export interface Engine {
  readonly recordsOf: RecordsOf;
  /**
   * Inserts items that belong together. The last one decides: if its key or a unique value is taken, the call returns false and none is
   * kept. In a file this is one transaction. In a database a crash may leave the first items behind, so whoever finds one must look for the
   * last.
   */
  readonly insertTogether: (items: readonly NewItem[]) => Promise<boolean>;
  readonly channels: ChannelHoldings;
  readonly mails: WholeMails;
  readonly dueWork: DueWorkStore;
  readonly keptDeliveries: KeptDeliveryStore;
  readonly media: MediaStore;
  readonly sends: SendStore;
}
