export * from './api.mjs';
export { TrunklineError } from './client.mjs';
export type {
  CallOptions,
  CodedDetail,
  FieldError,
  FileContent,
  GivenFile,
  Pages,
  SendOptions,
  Settings,
} from './client.mjs';
export { verifyBody, verifyWebhook, WebhookError } from './webhooks.mjs';
