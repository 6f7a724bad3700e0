/** Hourly counts of an account's finished deliveries, by outcome. */
import type { DeliveryHour } from '../../domain/webhooks/delivery-hour.ts';

export interface DeliveryHourStore {
  /** Adds each count to the stored one of its hour. A retry after a lost answer may count twice: the figures are only shown. */
  add(hours: readonly DeliveryHour[]): Promise<void>;
  /** Hours of an account from `from` (ms) on, oldest first, without empty hours. */
  since(accountId: string, from: number): Promise<DeliveryHour[]>;
  /** Hours of all accounts from `from` (ms) on, at most `limit`. */
  ofAll(from: number, limit: number): Promise<DeliveryHour[]>;
  /** Erases older hours. Returns their number. */
  dropOlder(before: number): Promise<number>;
}
