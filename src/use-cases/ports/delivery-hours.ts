/** How many webhooks of an account ended in each hour, and how. */
import type { DeliveryHour } from '../../domain/webhooks/delivery-hour.ts';

export interface DeliveryHourStore {
  /** Adds each to what stands for its hour. One whose answer is lost may be added twice: they are figures to look at. */
  add(hours: readonly DeliveryHour[]): Promise<void>;
  /** Those of an account from this hour (ms) on, the oldest first; an hour without any is left out. */
  since(accountId: string, from: number): Promise<DeliveryHour[]>;
  /** Those of all accounts from this hour (ms) on, at most `limit`. */
  ofAll(from: number, limit: number): Promise<DeliveryHour[]>;
  /** Erases hours before this. Answers how many went. */
  dropOlder(before: number): Promise<number>;
}
