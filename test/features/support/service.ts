/** A world over an embedded store in a folder of its own and the fakes of `outside.ts`, with the functions of the features over it. */
import type { BillingReader } from '../../../src/features/licences/billing-reader.ts';
import { rm } from 'node:fs/promises';
import { expect } from '@jest/globals';
import { makeInProcessJobs } from '../../../src/jobs/in-process.ts';
import type { JobData } from '../../../src/jobs/jobs.ts';
import { makePasswordHasher } from '../../../src/features/people/password-hashing.ts';
import { newSealer } from '../../support/sealing.ts';
import type { ChannelJournal } from '../../../src/storage/journal/channel-journal.ts';
import type { Sealer } from '../../../src/kernel/sealed.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { ChannelType } from '../../../src/rules/vocabulary.ts';
import { Fault } from '../../../src/kernel/faults.ts';
import { makeLog } from '../../../src/kernel/log.ts';
import { silentLog } from '../../support/silent-log.ts';
import type { Caller } from '../../../src/rules/caller.ts';
import type { ChannelWithSecret, WebhookPatch } from '../../../src/features/channels/types.ts';
import { bind } from './bound.ts';
import type { Bound } from './bound.ts';
import { makeWorld } from '../../../src/app/make-world.ts';
import { nodeWork } from '../../../src/app/node-work.ts';
import type { NodeWork } from '../../../src/app/node-work.ts';
import type { World, WorldSettings } from '../../../src/features/world.ts';
import type { JobQueue } from '../../../src/jobs/queued.ts';
import type { Stores } from '../../../src/features/stores.ts';
import type { UpstreamAsset } from '../../../src/upstream/connecting-calls.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { until } from '../../support/until.ts';
import {
  assetOf,
  TestClock,
  TestHealth,
  TestParser,
  TestProfiles,
  TestSignals,
  TestUploads,
  TestRouter,
  TestTemplates,
  TestUpstream,
  TestWebhooks,
} from './outside.ts';
import { folderInMemory } from '../../support/in-memory.ts';
import { openEmbeddedStore, tables } from '../../support/stores.ts';
import { writerHere } from '../../support/writer-here.ts';

export const redirectUri = 'https://app.example.com/connected';

const settings: WorldSettings = {
  baseUrl: 'https://trunkline.example',
  allowInsecure: false,
  ownHosts: ['trunkline.example'],
  exchangeCodeTtlMs: 300_000,
  setupUrlTtlMs: 1_800_000,
  trialDays: 14,
  trialTier: 'pro',
  graceMs: 259_200_000,
  ownsStore: false,
  deliveryLogMs: 604_800_000,
  digestIntervalMs: 900_000,
  endpointDisabledAfterDays: 5,
  templateCreateWindowMs: 3_600_000,
  templateEditCooldownMs: 86_400_000,
  templateEditWindowMs: 2_592_000_000,
  templateNameBlockMs: 2_592_000_000,
  profileTtlMs: 300_000,
  healthCheckIntervalMs: 3_600_000,
  tokenRenewBeforeMs: 1_728_000_000,
  profileMissTtlMs: 30_000,
  signup: true,
  sendsMail: false,
  webhookRetryDelaysMs: [30_000, 60_000],
  appWebhooks: 'manage',
  isReachable: true,
};

export interface Service {
  world: World;
  features: Bound & NodeWork;
  stores: Stores;
  /** The store as a channel's owner sees it. */
  channelState: ChannelJournal;
  sealer: Sealer;
  clock: TestClock;
  router: TestRouter;
  upstream: TestUpstream;
  parser: TestParser;
  webhooks: TestWebhooks;
  upstreamTemplates: TestTemplates;
  profiles: TestProfiles;
  signals: TestSignals;
  uploads: TestUploads;
  health: TestHealth;
  /** What the other nodes were told to remove from their caches. */
  changes: { channelId?: string; apiKeyId?: string }[];
  /** Nodes that were told to drain; null: the asked one. */
  drained: (string | null)[];
  /** If labels are given, only counts with these labels. */
  counted: (name: string, labels?: Record<string, string>) => number;
  /** Log lines of level `info` and above. */
  told: Record<string, unknown>[];
  jobs: JobQueue;
  /** Resolves once every job so far, and every retry, has ended. */
  jobsDone(): Promise<void>;
  close(): Promise<void>;
}

export interface Tenant extends Caller {
  apiKey: string;
  subscriptionId: string;
}

export async function openService(
  over: Partial<WorldSettings> = {},
  passwords = makePasswordHasher(),
  billing: BillingReader | null = null,
): Promise<Service> {
  const dataDir = folderInMemory('features');
  const store = await openEmbeddedStore({ dataDir, log: silentLog, writer: writerHere(tables) });
  const counts = new Map<string, number>();
  const changes: Service['changes'] = [];
  const told: Service['told'] = [];
  const drained: Service['drained'] = [];
  const log = makeLog('info', { write: (line) => void told.push(JSON.parse(line)) });
  const clock = new TestClock();
  const outside = {
    clock,
    router: new TestRouter(),
    upstream: new TestUpstream(),
    parser: new TestParser(),
    webhooks: new TestWebhooks(clock),
    upstreamTemplates: new TestTemplates(),
    profiles: new TestProfiles(),
    signals: new TestSignals(),
    uploads: new TestUploads(),
    health: new TestHealth(),
    upstreamApp: {
      appId: '700100200300400',
      callbackUrl: 'https://trunkline.example/upstream/webhooks',
      webhooks: async () => [],
      subscribe: async () => ({ leftOut: [] }),
      dialog: { version: 'v25.0', hasSignupConfig: true, signupVersion: 'v4', hasPagesConfig: false },
      credentials: async () => ({ isAccepted: true, version: null }) as const,
      channel: async () => ({
        tokenRefused: null,
        tokenEndsAt: null,
        scopes: null,
        missingPermissions: null,
        isSubscribed: true,
        problems: [],
      }),
    },
  };
  const sealer = newSealer();
  const queue = makeInProcessJobs({ clock: outside.clock, log: silentLog });
  const left = new Set<string>();
  const jobs: JobQueue = {
    enqueue(name, data) {
      if ('channelId' in data) left.add(data.channelId);
      return queue.enqueue(name, data);
    },
  };
  const world = makeWorld({
    ...outside,
    upstreamUnder: () => outside,
    stores: store.stores,
    sharedProfiles: null,
    sealer,
    billing,
    passwords,
    cluster: {
      nodes: async () => [
        { nodeId: 'node-1', channelsOwned: 1, startedAt: 0, draining: false, isLinked: true, status: null },
      ],
      whereIs: async () => 'node-1',
      drain: async (nodeId) => void drained.push(nodeId),
      changed: (change) => void changes.push(change),
    },
    jobs,
    log,
    counters: {
      increment(name, labels, times = 1) {
        for (const key of [name, labelled(name, labels)]) counts.set(key, (counts.get(key) ?? 0) + times);
      },
    },
    settings: { ...settings, ...over },
  });
  const features = { ...bind(world), ...nodeWork(world) };
  for (const name of ['unsubscribe-asset', 'look-at-channel'] as const)
    queue.handle(name, async (data) => {
      const job = channelOf(data);
      await features.jobs[name](job);
      left.delete(job.channelId);
    });
  const close = async (): Promise<void> => {
    await queue.stop();
    await store.close();
    await rm(dataDir, { recursive: true });
  };
  return {
    ...outside,
    world,
    features,
    stores: store.stores,
    channelState: store.channelState,
    sealer,
    changes,
    drained,
    counted: (name, labels) => counts.get(labels === undefined ? name : labelled(name, labels)) ?? 0,
    told,
    jobs,
    jobsDone: async () => void (await until('jobs to be done', () => left.size === 0)),
    close,
  };
}

const labelled = (name: string, labels: Readonly<Record<string, string>> = {}): string =>
  `${name} ${JSON.stringify(labels)}`;

function channelOf(data: JobData): { channelId: string } {
  if (typeof data === 'object' && data !== null && !Array.isArray(data)) {
    const { channelId } = data;
    if (typeof channelId === 'string') return { channelId };
  }
  throw new Error('the job names no channel');
}

/** All mails to an account, the latest first. */
export const mailsTo = async ({ features }: Service, { accountId }: Pick<Caller, 'accountId'>) =>
  (await features.listMails(accountId, everything)).items;

let tenants = 0;

/** An account with a key, a trial and the redirect pattern `redirectUri`. */
export async function newTenant({ features }: Service): Promise<Tenant> {
  tenants += 1;
  const email = `owner-${tenants}@example.com`;
  const created = await features.createAccount({ email, name: null, tier: null });
  const tenant = {
    accountId: created.account.id,
    apiKeyId: created.apiKeyId,
    apiKey: created.apiKey,
    subscriptionId: created.subscriptionId,
  };
  await features.addRedirect(tenant, 'https://app.example.com/*');
  return tenant;
}

/** Another licence, so that more than one channel of a type fits. */
export async function newLicence({ features }: Service, tenant: Tenant): Promise<string> {
  const request = { tier: 'pro', source: 'enterprise', expiresAt: null, autoRenew: false } as const;
  const { subscription } = await features.createSubscription(tenant.accountId, request);
  return subscription.id;
}

/** The `state` of a setup flow whose person has opened the setup URL. */
export async function openedSetup(
  service: Service,
  caller: Caller,
  channelType: ChannelType,
): Promise<string> {
  const started = await service.features.startSetup(caller, { channelType, redirectUri });
  const token = new URL(started.setupUrl).searchParams.get('token') ?? '';
  const dialog = await service.features.openSetup(started.sessionId, token);
  return new URL(dialog ?? '').searchParams.get('state') ?? '';
}

/** The parameters of the client's redirect after a person has granted these assets. */
export async function finishedSetup(
  service: Service,
  state: string,
  assets: UpstreamAsset[] | Error,
): Promise<Record<string, string>> {
  const code = `upstream-code-${state}`;
  service.upstream.assets.set(code, assets);
  const target = await service.features.finishSetup({ state, code, error: null });
  const url = new URL(target ?? '');
  expect(url.origin + url.pathname).toBe(redirectUri);
  return Object.fromEntries(url.searchParams);
}

/** The one-time code of a complete setup flow. */
export async function codeFor(service: Service, caller: Caller, asset: UpstreamAsset): Promise<string> {
  const state = await openedSetup(service, caller, asset.channelType);
  const { code } = await finishedSetup(service, state, [asset]);
  expect(code).toBeDefined();
  return code ?? '';
}

export async function connected(
  service: Service,
  caller: Caller,
  asset: UpstreamAsset,
  webhook: WebhookPatch = {},
): Promise<ChannelWithSecret> {
  const code = await codeFor(service, caller, asset);
  return service.features.exchangeCode(caller, { code, ...webhook });
}

let identities = 0;

/** An unused identity. */
export function newIdentity(): string {
  identities += 1;
  return String(100_000_000 + identities);
}

export async function connectedChannel(
  service: Service,
  caller: Caller,
  channelType: ChannelType,
): Promise<Channel> {
  const { channel } = await connected(service, caller, assetOf(channelType, newIdentity()));
  // The end of its token is learned after the exchange's commit.
  return (await service.stores.channels.byId(channel.id)) ?? channel;
}

/** The client's error answer to a refused call. */
export async function refusalOf(call: Promise<unknown>): Promise<{ status: number; detail: unknown }> {
  const thrown = await call.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(thrown instanceof Fault)) throw new Error('The call was not refused by a fault', { cause: thrown });
  return { status: thrown.status, detail: thrown.detail };
}

/** The licence that the channel is bound to. */
export async function licenceBoundTo({ stores }: Service, channelId: string): Promise<string | null> {
  return (await stores.channels.byId(channelId))?.subscriptionId ?? null;
}
