/** What other features call. */
export { needWebhooksOf } from './app-webhooks.ts';
export { checkUpstream } from './check-upstream.ts';
export type { CheckedUpstream } from './check-upstream.ts';
