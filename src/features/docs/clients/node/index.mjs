export { Trunkline } from './api.mjs';
export { TrunklineError } from './client.mjs';
export { verifyBody, verifyWebhook, WebhookError } from './webhooks.mjs';
