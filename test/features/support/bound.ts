/** The functions of the features over one world, without its parameter, as the tests call them. */
import { portalTerms } from '../../../src/features/portal-terms.ts';
import type { Actor } from '../../../src/rules/caller.ts';
import type { World } from '../../../src/features/world.ts';
import { createAccount } from '../../../src/features/accounts/create-account.ts';
import {
  addKey,
  authenticate,
  createKey,
  knownCaller,
  listKeys,
  listKeysUntil,
  readKey,
  removeKey,
  removeKeysUntil,
  revokeKey,
} from '../../../src/features/accounts/keys.ts';
import { listAudit, pageAudit, pageOwnAudit } from '../../../src/features/audit/log.ts';
import { deactivateChannel, releaseClaim } from '../../../src/features/channels/deactivate.ts';
import { channelHealth } from '../../../src/features/channels/health.ts';
import { listChannels, listChannelsWithHealth, readChannel } from '../../../src/features/channels/list.ts';
import { updateChannel } from '../../../src/features/channels/update.ts';
import { readDefaultWebhook, updateDefaultWebhook } from '../../../src/features/default-webhook/service.ts';
import { finishChoice, openChoice } from '../../../src/features/connecting/choose-asset.ts';
import { exchangeCode } from '../../../src/features/connecting/exchange-code.ts';
import { dialogOrigin, finishSetup, openSetup } from '../../../src/features/connecting/setup-dialog.ts';
import { startOwnSetup, startSetup } from '../../../src/features/connecting/start-setup.ts';
import { listAccountDeliveries } from '../../../src/features/deliveries/list-all.ts';
import { listDeliveries, readDelivery } from '../../../src/features/deliveries/log.ts';
import {
  countKept,
  replayAll,
  replaysProgress,
  retryDeliveries,
} from '../../../src/features/deliveries/replay-all.ts';
import { replayDeliveries, replayProgress, retryDelivery } from '../../../src/features/deliveries/replay.ts';
import { testEndpoint, testWebhook } from '../../../src/features/deliveries/test-webhook.ts';
import {
  addEndpoint,
  listEndpoints,
  readEndpoint,
  removeEndpoint,
  updateEndpoint,
} from '../../../src/features/endpoints/service.ts';
import { homeOverview } from '../../../src/features/home/service.ts';
import { listSubscriptions } from '../../../src/features/licences/list-subscriptions.ts';
import { receiveBillingEvent } from '../../../src/features/licences/receive-billing-event.ts';
import {
  bindChannel,
  createSubscription,
  updateSubscription,
} from '../../../src/features/licences/subscriptions.ts';
import { openMedia } from '../../../src/features/media/open-media.ts';
import {
  channelOfDelivery,
  channelOfMessage,
  deliveredMessage,
} from '../../../src/features/messages/delivered.ts';
import { listMessages } from '../../../src/features/messages/list.ts';
import { receiveUpstreamPost } from '../../../src/features/messages/receive-upstream-post.ts';
import { sendMedia, sendTemplate, sendText } from '../../../src/features/messages/sends.ts';
import { inspectMessage, messageTimeline } from '../../../src/features/messages/timeline.ts';
import { accountVolume, givenUpLately } from '../../../src/features/operators/account-deliveries.ts';
import { inspectAccount, listAccounts, suspendAccount } from '../../../src/features/operators/accounts.ts';
import {
  diagnoseChannel,
  inspectChannel,
  listFailing,
  listRefusedTokens,
  probeChannelNow,
} from '../../../src/features/operators/channels.ts';
import { listMails } from '../../../src/features/mails/list-mails.ts';
import { findAccounts } from '../../../src/features/operators/find-accounts.ts';
import { drain, listNodes } from '../../../src/features/operators/nodes.ts';
import { beginOperating, endOperating, isOperating } from '../../../src/features/operators/session.ts';
import { sendMailNow } from '../../../src/features/operators/send-mail-now.ts';
import { listTroubled } from '../../../src/features/operators/troubled.ts';
import { askConfirmation, confirmEmail, confirming } from '../../../src/features/people/confirm.ts';
import {
  acceptInvitation,
  invite,
  inviteAgain,
  makeInvitationLink,
  readInvitation,
} from '../../../src/features/people/invite.ts';
import {
  changeRole,
  listPeople,
  readPerson,
  removePerson,
  setRole,
} from '../../../src/features/people/members.ts';
import {
  askReset,
  changePassword,
  isResetLink,
  makeAccountResetLink,
  makeResetLink,
  resetPassword,
} from '../../../src/features/people/new-password.ts';
import { signIn, signOut, visitor } from '../../../src/features/people/sign-in.ts';
import { signUp } from '../../../src/features/people/sign-up.ts';
import { senderProfile } from '../../../src/features/profiles/sender-profile.ts';
import {
  dropQuarantined,
  listQuarantine,
  retryQuarantined,
} from '../../../src/features/quarantine/quarantine-items.ts';
import { addRedirect, listRedirects, removeRedirect } from '../../../src/features/redirects/service.ts';
import { listRequests } from '../../../src/features/requests/list-requests.ts';
import { createTemplate } from '../../../src/features/templates/create.ts';
import { listTemplates, readTemplate } from '../../../src/features/templates/list.ts';
import { deleteTemplate } from '../../../src/features/templates/remove.ts';
import { updateTemplate } from '../../../src/features/templates/update.ts';
import { missedEvents } from '../../../src/features/deliveries/missed.ts';

const functions = {
  missedEvents,
  acceptInvitation,
  accountVolume,
  addEndpoint,
  addKey,
  addRedirect,
  askConfirmation,
  askReset,
  authenticate,
  beginOperating,
  bindChannel,
  changePassword,
  changeRole,
  channelHealth,
  channelOfDelivery,
  channelOfMessage,
  confirmEmail,
  confirming,
  countKept,
  createAccount,
  createKey,
  createSubscription,
  createTemplate,
  deactivateChannel,
  deleteTemplate,
  deliveredMessage,
  diagnoseChannel,
  dialogOrigin,
  drain,
  dropQuarantined,
  endOperating,
  exchangeCode,
  findAccounts,
  finishChoice,
  finishSetup,
  givenUpLately,
  homeOverview,
  inspectAccount,
  inspectChannel,
  inspectMessage,
  invite,
  inviteAgain,
  isOperating,
  isResetLink,
  knownCaller,
  listAccountDeliveries,
  listAccounts,
  listAudit,
  listChannels,
  listChannelsWithHealth,
  listDeliveries,
  listEndpoints,
  listFailing,
  listKeys,
  listKeysUntil,
  listMails,
  listMessages,
  listNodes,
  listPeople,
  listQuarantine,
  listRedirects,
  listRefusedTokens,
  listRequests,
  listSubscriptions,
  listTemplates,
  listTroubled,
  makeAccountResetLink,
  makeInvitationLink,
  makeResetLink,
  messageTimeline,
  openChoice,
  openMedia,
  openSetup,
  pageAudit,
  pageOwnAudit,
  portalTerms,
  probeChannelNow,
  readChannel,
  readDefaultWebhook,
  readDelivery,
  readEndpoint,
  readInvitation,
  readKey,
  readPerson,
  readTemplate,
  receiveBillingEvent,
  receiveUpstreamPost,
  releaseClaim,
  removeEndpoint,
  removeKey,
  removeKeysUntil,
  removePerson,
  removeRedirect,
  replayAll,
  replayDeliveries,
  replayProgress,
  replaysProgress,
  resetPassword,
  retryDeliveries,
  retryDelivery,
  retryQuarantined,
  revokeKey,
  sendMailNow,
  sendMedia,
  sendTemplate,
  sendText,
  senderProfile,
  setRole,
  signIn,
  signOut,
  signUp,
  startOwnSetup,
  startSetup,
  suspendAccount,
  testEndpoint,
  testWebhook,
  updateChannel,
  updateDefaultWebhook,
  updateEndpoint,
  updateSubscription,
  updateTemplate,
  visitor,
};

/** Functions whose first argument after the world says who acts; those with a caller find it there. */
const ofActors = [
  'acceptInvitation',
  'beginOperating',
  'bindChannel',
  'confirmEmail',
  'createAccount',
  'createKey',
  'createSubscription',
  'drain',
  'dropQuarantined',
  'makeAccountResetLink',
  'makeInvitationLink',
  'makeResetLink',
  'probeChannelNow',
  'releaseClaim',
  'resetPassword',
  'retryQuarantined',
  'revokeKey',
  'sendMailNow',
  'setRole',
  'signUp',
  'suspendAccount',
  'updateSubscription',
] as const;

type Functions = typeof functions;
type OfActors = (typeof ofActors)[number];

type Asked<N extends keyof Functions> = N extends OfActors
  ? Functions[N] extends (world: never, by: never, ...asked: infer Given) => unknown
    ? Given
    : never
  : Functions[N] extends (world: never, ...asked: infer Given) => unknown
    ? Given
    : never;

type Plain = { [N in keyof Functions]: (...asked: Asked<N>) => ReturnType<Functions[N]> };

/** The functions of one world, without that argument. `actedBy`: as `by`, where nobody acts otherwise. */
export type Bound = Plain & { actedBy(by: Actor): Bound };

export function bind(world: World, by?: Actor): Bound;
export function bind(world: World, by?: Actor): Record<string, unknown> {
  const bound = Object.entries(functions).map(([name, does]) => [
    name,
    (...asked: unknown[]): unknown => {
      const named: readonly string[] = ofActors;
      const given = named.includes(name) ? [by, ...asked] : acting(asked, by);
      return Reflect.apply(does, null, [world, ...given]);
    },
  ]);
  return { ...Object.fromEntries(bound), actedBy: (actor: Actor) => bind(world, actor) };
}

/** A caller, or a visitor with one, gets the actor. */
function acting([first, ...rest]: unknown[], by: Actor | undefined): unknown[] {
  if (by === undefined || typeof first !== 'object' || first === null) return [first, ...rest];
  if ('apiKeyId' in first) return [{ ...first, by }, ...rest];
  if ('caller' in first && typeof first.caller === 'object')
    return [{ ...first, caller: { ...first.caller, by } }, ...rest];
  return [first, ...rest];
}
