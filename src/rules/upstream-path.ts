/** Path of the callback that upstream posts its events to, below BASE_URL. */
export const upstreamWebhooksPath = '/upstream/webhooks';
