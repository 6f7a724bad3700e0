/** What other features call. */
export { applyAccountFacts } from './account-events.ts';
export { announceChange, intendChange } from './announce-change.ts';
export { deactivateChannel, endNeedless, releaseClaim } from './deactivate.ts';
export type { FollowUp } from './entity.ts';
export { findChannel, findLicence, noSuchChannel } from './find.ts';
export { findTyped, firstChannel, wordsOf } from './find-typed.ts';
export { flushActivity, forgetFailing } from './flush-activity.ts';
export { channelHealth, refreshedHealth } from './health.ts';
export { eraseKeptOf, keptUntil } from './kept.ts';
export { listChannels, listChannelsWithHealth, readChannel, readChannelsWithHealth } from './list.ts';
export { channelAt, hasChannel, readNamedChannel } from './pages/chosen.ts';
export { channelField } from './pages/channel-field.tsx';
export type { ChannelField } from './pages/channel-field.tsx';
export { SettingsOf } from './pages/settings-form.tsx';
export { changedElsewhere, givenIn, typedAddress } from './pages/settings-typed.ts';
export { ChannelLink, HealthCell, describeHealth, pathToFix, takesTemplates } from './pages/words.tsx';
export { requireReachable } from './reachable.ts';
export { enqueueProbes } from './probe-on-event.ts';
export { channelOut, healthProblem, makeProfileCell, webhookCells } from './schemas.ts';
export {
  channelUpdateRequest,
  exchangeFields,
  startingFields,
  toExchangePatch,
  toPatch,
} from './settings-in-calls.ts';
export { channelSnapshot } from './snapshot.ts';
export { endPauseByMessage } from './send-pauses.ts';
export type { ChannelSecrets } from './store.ts';
export { noteWords } from './note-words.ts';
export { emitOn } from './tell-changes.ts';
export { keepToken } from './token-ends.ts';
export type { ChannelWithHealth, ChannelWithLicence, ChannelWithSecret, WebhookPatch } from './types.ts';
export { updateChannel } from './update.ts';
export {
  checkDefaultPatch,
  checkWebhookPatch,
  endpointErrors,
  newWebhookSecret,
  secretsFrom,
  settingsFrom,
} from './webhook-settings.ts';
