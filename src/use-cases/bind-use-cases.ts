import { authenticate } from './accounts/authenticate.ts';
import { createAccount } from './accounts/create-account.ts';
import { createKey } from './accounts/create-key.ts';
import { KeyCache } from './accounts/key-cache.ts';
import { revokeKey } from './accounts/revoke-key.ts';
import { ChannelCache } from './channel-cache.ts';
import { deactivateChannel } from './channels/deactivate.ts';
import { listChannels } from './channels/list.ts';
import { readChannel } from './channels/read.ts';
import { updateChannel } from './channels/update.ts';
import { exchangeCode } from './connecting/exchange-code.ts';
import { finishSetup } from './connecting/finish-setup.ts';
import { openSetup } from './connecting/open-setup.ts';
import { startSetup } from './connecting/start-setup.ts';
import type { UseCases } from './index.ts';
import { listSubscriptions } from './licences/list-subscriptions.ts';
import { parkedFactsGiver } from './messages/parked-facts.ts';
import { receiveUpstreamPost } from './messages/receive-upstream-post.ts';
import { sendText } from './messages/send-text.ts';
import { bindChannel } from './operating/bind-channel.ts';
import { createSubscription } from './operating/create-subscription.ts';
import { inspectChannel } from './operating/inspect-channel.ts';
import { listMails } from './operating/list-mails.ts';
import { releaseClaim } from './operating/release-claim.ts';
import { updateSubscription } from './operating/update-subscription.ts';
import { addRedirect } from './redirects/add.ts';
import { listRedirects } from './redirects/list.ts';
import { removeRedirect } from './redirects/remove.ts';
import type { UseCaseDeps, UseCasePorts } from './deps.ts';

export type { ClusterView, Counters, UseCaseSettings, UseCasePorts } from './deps.ts';

/** For the cluster: what another node has changed is forgotten here at once instead of within the caches' 1 s and 5 s. */
export interface CacheControl {
  invalidateChannel(channelId: string): void;
  invalidateKey(keyId: string): void;
}

/** What no door asks for: the node itself does. */
export interface NodeUseCases {
  caches: CacheControl;
  /** Gives parked facts to owners that are within reach again; resolves when all are given or stay for the next time. */
  giveParkedFacts(): Promise<void>;
}

/** Everything a client, a person in the setup flow, upstream or an operator can do, over these ports. */
export function makeUseCases(outside: UseCasePorts): UseCases & NodeUseCases {
  const deps: UseCaseDeps = {
    ...outside,
    channelCache: new ChannelCache(outside.stores, outside.clock, outside.settings.graceMs),
    keyCache: new KeyCache(outside.stores.keys, outside.clock),
  };
  const parkedFacts = parkedFactsGiver(deps);
  return {
    authenticate: (apiKey) => authenticate(deps, apiKey),
    listSubscriptions: (caller, page) => listSubscriptions(deps, caller, page),
    listChannels: (caller, page) => listChannels(deps, caller, page),
    readChannel: (caller, channelId) => readChannel(deps, caller, channelId),
    updateChannel: (caller, channelId, patch) => updateChannel(deps, caller, channelId, patch),
    deactivateChannel: (caller, channelId) => deactivateChannel(deps, caller, channelId),
    startSetup: (caller, request) => startSetup(deps, caller, request),
    openSetup: (sessionId, token) => openSetup(deps, sessionId, token),
    finishSetup: (callback) => finishSetup(deps, callback),
    exchangeCode: (caller, request) => exchangeCode(deps, caller, request),
    listRedirects: (caller, page) => listRedirects(deps, caller, page),
    addRedirect: (caller, uriPattern) => addRedirect(deps, caller, uriPattern),
    removeRedirect: (caller, redirectId) => removeRedirect(deps, caller, redirectId),
    sendText: (caller, command) => sendText(deps, caller, command),
    receiveUpstreamPost: (body) => receiveUpstreamPost(deps, body),
    giveParkedFacts: () => parkedFacts.look(),
    createAccount: (request) => createAccount(deps, request),
    createKey: (accountId) => createKey(deps, accountId),
    revokeKey: (keyId) => revokeKey(deps, keyId),
    createSubscription: (accountId, request) => createSubscription(deps, accountId, request),
    updateSubscription: (subscriptionId, patch) => updateSubscription(deps, subscriptionId, patch),
    releaseClaim: (channelId) => releaseClaim(deps, channelId),
    bindChannel: (channelId, subscriptionId) => bindChannel(deps, channelId, subscriptionId),
    listMails: (accountId, page) => listMails(deps, accountId, page),
    listNodes: () => outside.cluster.nodes(),
    inspectChannel: (channelId) => inspectChannel(deps, channelId),
    drain: () => outside.cluster.drain(),
    caches: {
      invalidateChannel: (channelId) => deps.channelCache.invalidate(channelId),
      invalidateKey: (keyId) => deps.keyCache.invalidate(keyId),
    },
  };
}
