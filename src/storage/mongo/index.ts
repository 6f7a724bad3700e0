/** The store of a cluster: MongoDB, as a replica set or, without failover, a standalone server. */
import type { ChannelJournal } from '../journal/channel-journal.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { AnyEntity } from '../entities/entity.ts';
import type { Engine } from '../engine.ts';
import { openCollections, openMediaCollections } from './collections.ts';
import type { MongoContext } from './collections.ts';
import { commandsOn } from './commands.ts';
import { connect } from './connection.ts';
import type { Connection } from './connection.ts';
import { makeIndexes } from './indexes.ts';
import { gatherProfiles } from './profiles.ts';
import { GroupCommitQueue } from './group-commit-queue.ts';
import type { GroupCommitStats } from './group-commit-queue.ts';
import { makeInsertTogether, recordsOn } from './records.ts';
import { RetryPolicy } from './retry-policy.ts';
import { channelStateStore } from './stores/channel-state.ts';
import { channelHoldings } from './stores/channels.ts';
import { dueWorkStore } from './stores/due-work.ts';
import { keptDeliveryStore } from './stores/kept-deliveries.ts';
import { wholeMails } from './stores/mails.ts';
import { mediaStore } from './stores/media.ts';
import { sendStore } from './stores/sends.ts';
import { ownerStore } from './stores/owners.ts';
import type { MongoOwners } from './stores/owners.ts';

interface MongoStats {
  commitQueues: Record<keyof MongoContext['commitQueues'], GroupCommitStats>;
  /** Number of retries of all operations. */
  repeated: number;
}

export interface MongoStore {
  engine: Engine;
  channelState: ChannelJournal;
  owners: MongoOwners;
  /** Completes accepted writes, then closes all connections. Later calls throw StoreUnavailable. */
  close(): Promise<void>;
  stats(): MongoStats;
  /** Whether the driver's monitor last saw a server that accepts writes. Costs no round trip. */
  isReachable(): boolean;
}

/** Time for a failover before a call fails. [architecture §7: under 5 s: wait, then go on] */
const budgetMs = 8_000;

/** A start whose indexes take longer than this says so in the log. */
const tellAfterMs = 2_000;

interface MongoOptions {
  uri: string;
  log: Log;
  clock: Clock;
  entities: readonly AnyEntity[];
  appName?: string;
}

/**
 * Connects and creates missing indexes, which takes minutes if there are millions of documents. Throws StoreUnavailable, with one clear
 * line, if no server answers in 5 s or an index cannot be created. Each store call takes at most 8 s plus its last attempt, 14 s in total. [faults: 26]
 */
export async function openMongoStore(options: MongoOptions): Promise<MongoStore> {
  const { uri, log, clock, entities, appName = 'trunkline' } = options;
  const connection = await connect(uri, appName);
  const retryPolicy = new RetryPolicy({ clock, log, budgetMs });
  try {
    await makeAllIndexes(retryPolicy, { uri, log, clock, entities, appName });
    await gatherProfiles(connection.db, retryPolicy);
  } catch (error) {
    await connection.client.close();
    throw error;
  }
  return storeOn(connection, retryPolicy);
}

/** Over a connection without a limit for the time until an answer. Heartbeats still notice a server that is gone. */
async function makeAllIndexes(
  retryPolicy: RetryPolicy,
  { uri, log, clock, entities, appName }: Required<MongoOptions>,
): Promise<void> {
  const { client, db } = await connect(uri, appName, { socketTimeoutMS: 0 });
  const cancel = clock.after(tellAfterMs, () => log.info({}, 'store.creating-indexes'));
  try {
    await makeIndexes(db, retryPolicy, entities);
  } finally {
    cancel();
    await client.close();
  }
}

/** Builds the store on an open connection with existing indexes. */
export function storeOn(connection: Connection, retryPolicy: RetryPolicy): MongoStore {
  const context = contextOn(connection, retryPolicy);
  const commitQueues = Object.values(context.commitQueues);
  return {
    engine: engineOn(context),
    channelState: channelStateStore(context),
    owners: ownerStore(context),
    async close() {
      await Promise.all(commitQueues.map((commitQueue) => commitQueue.drain()));
      retryPolicy.close();
      await connection.client.close();
    },
    stats: () => ({
      commitQueues: {
        messages: context.commitQueues.messages.stats(),
        deliveries: context.commitQueues.deliveries.stats(),
        unmatched: context.commitQueues.unmatched.stats(),
        mails: context.commitQueues.mails.stats(),
        idempotency: context.commitQueues.idempotency.stats(),
        strandedFacts: context.commitQueues.strandedFacts.stats(),
      },
      repeated: retryPolicy.repeated,
    }),
    isReachable: () => connection.isReachable(),
  };
}

function contextOn(connection: Connection, retryPolicy: RetryPolicy): MongoContext {
  const commitQueue = (name: string): GroupCommitQueue =>
    new GroupCommitQueue({ name, commands: commandsOn(connection, name), retryPolicy });
  return {
    db: connection.db,
    ...openCollections(connection.db),
    media: openMediaCollections(connection),
    retryPolicy,
    safely: connection.safely,
    commitQueues: {
      messages: commitQueue('messages'),
      deliveries: commitQueue('deliveries'),
      unmatched: commitQueue('unmatched_facts'),
      mails: commitQueue('mails'),
      idempotency: commitQueue('idempotency'),
      strandedFacts: commitQueue('parked_facts'),
    },
  };
}

function engineOn(context: MongoContext): Engine {
  const recordsOf = recordsOn(context);
  return {
    recordsOf,
    insertTogether: makeInsertTogether(recordsOf),
    channels: channelHoldings(context),
    mails: wholeMails(context),
    dueWork: dueWorkStore(context),
    keptDeliveries: keptDeliveryStore(recordsOf, context),
    media: mediaStore(context),
    sends: sendStore(context),
  };
}
