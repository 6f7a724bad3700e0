/** Starts a node: which parts, and in which order. */
import { EventEmitter } from 'node:events';
import { generatedKeys } from '../../config/generated-keys.ts';
import type { Settings } from '../../config/settings.ts';
import { makeBillingReader } from '../features/licences/billing-reader.ts';
import type { BillingReader } from '../features/licences/billing-reader.ts';
import type { TakenDirectory } from '../storage/sqlite/index.ts';
import { makePasswordHasher } from '../features/people/password-hashing.ts';
import { haveAddressPatience } from '../kernel/address-patience.ts';
import { sleep, steadyTime } from '../kernel/clock.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { logLastsMs } from './housekeeping.ts';
import { makeWorld } from './make-world.ts';
import { nodeWork } from './node-work.ts';
import type { NodeWork } from './node-work.ts';
import { askForEchoes } from '../features/channels/echo-question.ts';
import type { World } from '../features/world.ts';
import type { Sealer } from '../kernel/sealed.ts';
import { missingKeys } from '../features/operators/reseal.ts';
import type { Stores } from '../features/stores.ts';
import { openOutside, worldCalls } from './open-outside.ts';
import type { Outside } from './open-outside.ts';
import { openTracingOf } from './traced.ts';
import { LazyEchoes, LazyFeed } from './node.ts';
import type { Node } from './node.ts';
import { makeMetrics } from './metrics/index.ts';
import { openStorage } from './open-storage.ts';
import type { Storage } from './open-storage.ts';
import { takeOwnDirectory } from './take-directory.ts';
import type { Routing } from './routing.ts';
import { isReachableByUpstream, listOwnHosts } from './own-hosts.ts';
import { asError } from '../kernel/faults.ts';
import { Stages } from './stages.ts';
import { requireClock } from './require-clock.ts';
import { startActors } from './start-actors.ts';
import { startHttp } from './start-http.ts';
import { startJobs } from './start-jobs.ts';
import { StartError } from './listener.ts';
import { readBuild } from '../kernel/version.ts';

/** A running node. */
interface App {
  url: string;
  adminToken: string;
  /** Hands the channels over and stops every part, in reverse order of the start. */
  stop(): Promise<void>;
}

/** Time to stop everything but the calls under way; less than main.ts waits before it exits the process. */
const closeMs = 2_000;
/** After `/readyz` turns 503, a load balancer needs a moment to stop using this node before the listener closes. */
const noticeMs = 2_000;

/** `directory`: DATA_DIR, taken before this module was loaded. */
export async function startApp(
  settings: Settings,
  clock: Clock,
  log: Log,
  directory: TakenDirectory | null = null,
): Promise<App> {
  const stages = new Stages(clock, log);
  haveAddressPatience();
  try {
    const metrics = makeMetrics();
    steadyTime.onStep((step) => {
      metrics.increment('clock_steps_total');
      log.warn({ ...step }, 'clock.stepped');
    });
    return await start({
      settings,
      clock,
      log,
      stages,
      metrics,
      tracing: await openTracingOf(settings, { clock, log, stages }),
      directory,
      events: new EventEmitter(),
      live: new LazyFeed(),
      echoes: new LazyEchoes(),
    });
  } catch (error) {
    await stages.stop(closeMs);
    throw error;
  }
}

async function start(node: Node): Promise<App> {
  const { settings, clock, log, stages } = node;
  const startedAt = clock.monotonic();
  // Before a key is made: a key without a database is the sign of a lost one.
  const directory = settings.mongodbUri === null ? (node.directory ?? (await takeOwnDirectory(node))) : null;
  const { adminToken, encryptionKeys } = await generatedKeys(settings);
  const storage = await openStorage({ ...node, directory });
  await requireClock(storage.stores.dueWork, clock);
  const outside = openOutside(node, encryptionKeys, storage.stores.media);
  await requireKeys(settings, storage.stores, outside.sealer);
  const routing = await startActors(node, storage, outside);
  const world = openWorld(node, storage, outside, routing);
  const work = watchedBy(node, world);
  const { sealer } = outside;
  const hasOlderKeys = encryptionKeys.length > 1;
  await startJobs(node, { sealer, storage, routing, work, hasOlderKeys });
  const url = await startHttp(node, { world, work, routing, adminToken });
  lookAtApp(node, routing);
  stages.started('hand-over', () => handOver(node, routing));
  const tell = (): void =>
    log.info({ url, ms: Math.round(clock.monotonic() - startedAt), ...readBuild() }, 'node.ready');
  if (routing.leaseIsValid()) tell();
  else node.events.once('leased', tell); // the lock service is unreachable, which is logged already
  return { url, adminToken, stop: () => stages.stop(settings.drainTimeoutMs + closeMs) };
}

/**
 * Once the callback can be answered, because upstream calls it meanwhile. The start does not wait; if the job can't be queued, the periodic
 * one looks.
 */
function lookAtApp({ log }: Node, { sharedJobs }: Routing): void {
  sharedJobs
    .enqueue('check-app-webhooks', {}, 'at-start')
    .catch((error: unknown) => log.info({ why: asError(error).message }, 'app-webhooks.not-asked-for'));
}

function openWorld(
  node: Node,
  { stores, owners }: Storage,
  { upstream, sealer, webhooks }: Outside,
  { router, cluster, sharedJobs, sharedProfiles }: Routing,
): World {
  const { settings, clock, log, metrics } = node;
  return makeWorld({
    stores,
    router,
    ...worldCalls(upstream),
    parser: upstream.parser,
    sharedProfiles,
    webhooks,
    sealer,
    billing: openBilling(settings, clock),
    passwords: makePasswordHasher(),
    clock,
    log,
    counters: metrics,
    cluster,
    jobs: sharedJobs,
    settings: {
      ...settings,
      ownHosts: listOwnHosts(settings),
      ownsStore: owners === null,
      sendsMail: settings.smtpUrl !== null,
      deliveryLogMs: logLastsMs(settings),
      appWebhooks: settings.upstreamAppWebhooks,
      isReachable: isReachableByUpstream(settings),
    },
  });
}

/** The node's own work on the world, which hears what the actors and the other nodes report. */
function watchedBy({ metrics, events, echoes }: Node, world: World): NodeWork {
  const work = nodeWork(world);
  metrics.gauges(() => ({ app_webhooks_wrong: work.countAppProblems() }));
  // At once, instead of within the caches' 1 s and 5 s.
  events.on('changed', ({ channelId, apiKeyId }) => {
    if (channelId !== null) world.channelCache.invalidate(channelId);
    if (apiKeyId !== null) world.keyCache.invalidate(apiKeyId);
  });
  events.on('posted', (channelId, posted) => work.noteDelivery(channelId, posted));
  events.on('transcribed', (attempt) => work.noteTranscript(attempt));
  events.on('acknowledged', (delivery) => work.noteAcknowledged(delivery));
  events.on('given-up', (...counted) => work.noteGivenUp(...counted));
  echoes.open((channel, requestId) => askForEchoes(world, channel, requestId));
  events.on('token-refused', (refused) => void work.noteRefusedToken(refused));
  events.on('access-refused', (channelId) => void work.noteRefusedAccess(channelId));
  events.on('registration-refused', (refused) => void work.noteRefusedNumber(refused));
  return work;
}

function openBilling({ billingWebhookSecret: secret }: Settings, clock: Clock): BillingReader | null {
  return secret === null ? null : makeBillingReader({ secret, clock });
}

/**
 * Calls under way may finish, and their clients get the outcome while this node still answers. In a cluster, peers take the channels over
 * meanwhile, and new messages are forwarded to them. [architecture §4, Drain]
 */
async function handOver({ settings, clock, events }: Node, { cluster }: Routing): Promise<void> {
  events.emit('leaving');
  const isAlone = settings.redisUrl === null;
  const noticed = isAlone ? null : sleep(clock, Math.min(noticeMs, settings.drainTimeoutMs));
  await cluster.drain(null);
  await noticed;
}

/**
 * Tokens and webhook secrets are useless without the key that encrypted them: sends would fail, and deliveries would be given up. Such a
 * start ends, unless an operator declares the key lost. Throws StartError. [faults: 100]
 */
async function requireKeys(
  { encryptionKeysLost }: Pick<Settings, 'encryptionKeysLost'>,
  stores: Stores,
  sealer: Sealer,
): Promise<void> {
  const missing = await missingKeys({ stores, sealer });
  for (const id of encryptionKeysLost ?? []) missing.delete(id);
  if (missing.size === 0) return;
  const each = [...missing].map(
    ([id, channels]) => `${id} (${channels} ${channels === 1 ? 'channel' : 'channels'})`,
  );
  throw new StartError(
    `ENCRYPTION_KEYS lacks keys with which data in the store is encrypted: key ${each.join(', ')}; add each after the others or, ` +
      `if it is lost, name it in ENCRYPTION_KEYS_LOST`,
  );
}
