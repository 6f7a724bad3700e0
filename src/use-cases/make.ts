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
import type { CachedWorld, World } from './world.ts';

export type { ClusterView, Counters, UseCaseSettings, World } from './world.ts';

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

/** Everything a client, a person in the setup flow, upstream or an operator can do, over this world. */
export function makeUseCases(outside: World): UseCases & NodeUseCases {
  const world: CachedWorld = {
    ...outside,
    channelCache: new ChannelCache(outside.stores, outside.clock, outside.settings.graceMs),
    keyCache: new KeyCache(outside.stores.keys, outside.clock),
  };
  const parkedFacts = parkedFactsGiver(world);
  return {
    authenticate: (apiKey) => authenticate(world, apiKey),
    listSubscriptions: (caller, page) => listSubscriptions(world, caller, page),
    listChannels: (caller, page) => listChannels(world, caller, page),
    readChannel: (caller, channelId) => readChannel(world, caller, channelId),
    updateChannel: (caller, channelId, patch) => updateChannel(world, caller, channelId, patch),
    deactivateChannel: (caller, channelId) => deactivateChannel(world, caller, channelId),
    startSetup: (caller, request) => startSetup(world, caller, request),
    openSetup: (sessionId, token) => openSetup(world, sessionId, token),
    finishSetup: (callback) => finishSetup(world, callback),
    exchangeCode: (caller, request) => exchangeCode(world, caller, request),
    listRedirects: (caller, page) => listRedirects(world, caller, page),
    addRedirect: (caller, uriPattern) => addRedirect(world, caller, uriPattern),
    removeRedirect: (caller, redirectId) => removeRedirect(world, caller, redirectId),
    sendText: (caller, command) => sendText(world, caller, command),
    receiveUpstreamPost: (body) => receiveUpstreamPost(world, body),
    giveParkedFacts: () => parkedFacts.look(),
    createAccount: (request) => createAccount(world, request),
    createKey: (accountId) => createKey(world, accountId),
    revokeKey: (keyId) => revokeKey(world, keyId),
    createSubscription: (accountId, request) => createSubscription(world, accountId, request),
    updateSubscription: (subscriptionId, patch) => updateSubscription(world, subscriptionId, patch),
    releaseClaim: (channelId) => releaseClaim(world, channelId),
    bindChannel: (channelId, subscriptionId) => bindChannel(world, channelId, subscriptionId),
    listMails: (accountId, page) => listMails(world, accountId, page),
    listNodes: () => outside.cluster.nodes(),
    inspectChannel: (channelId) => inspectChannel(world, channelId),
    drain: () => outside.cluster.drain(),
    caches: {
      invalidateChannel: (channelId) => world.channelCache.invalidate(channelId),
      invalidateKey: (keyId) => world.keyCache.invalidate(keyId),
    },
  };
}
