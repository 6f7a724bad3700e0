/** What other features call. */
export type { ChannelHours } from './channel-hours.ts';
export { addCounts, emptyHour, findHour, findLatency, findSuccessRate, noCounts } from './hours.ts';
export type { DeliveryCounts, DeliveryHour } from './hours.ts';
export type { LoggedDelivery } from './logged.ts';
export { listAccountDeliveries } from './list-all.ts';
export { Spark } from './pages/spark.tsx';
export { showDelivery } from './log.ts';
export type { MissedEvent } from './missed.ts';
export { Bars, DeliveryBadge } from './pages/rows.tsx';
export { failureWords, keptWords } from './pages/words.ts';
export { retryDelivery } from './replay.ts';
export { deliveryOut } from './schemas.ts';
export { testWebhook } from './test-webhook.ts';
export type { ShownDelivery, WebhookTestResult } from './types.ts';
