/** What other features call. */
export type { ChannelHours } from './channel-hours.ts';
export { addCounts, findHour, findLatency, findSuccessRate, noCounts } from './hours.ts';
export type { DeliveryCounts, DeliveryHour } from './hours.ts';
export type { LoggedDelivery } from './logged.ts';
export { listAccountDeliveries } from './list-all.ts';
export { Spark } from './pages/spark.tsx';
export { showDelivery } from './log.ts';
export type { MissedEvent } from './missed.ts';
export { Bars, DeliveryBadge } from './pages/rows.tsx';
export { SigningSecret } from './pages/signing-secret.tsx';
export { TestResult } from './pages/test-result.tsx';
export type { Tested } from './pages/test-result.tsx';
export { failureWords, keptWords, storedFailureWords } from './pages/words.ts';
export { retryDelivery } from './replay.ts';
export { deliveryOut, webhookTestOut } from './schemas.ts';
export { testEndpoint, testWebhook } from './test-webhook.ts';
export type { ShownDelivery } from './types.ts';
