/** The store of a cluster: MongoDB, a replica set or, without fail-over, a standalone. */
import type { ChannelStore as ActorChannelStore } from '../../../../actors/channel/ports.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Stores } from '../../../use-cases/ports.ts';
import { collectionsOf } from './collections.ts';
import type { Ground } from './collections.ts';
import { commandsOn } from './commands.ts';
import { connect } from './connection.ts';
import type { Connection } from './connection.ts';
import { makeIndexes } from './indexes.ts';
import { Lane } from './lane.ts';
import type { LaneStats } from './lane.ts';
import { Patience } from './patience.ts';
import { accountStore, keyStore, redirectStore, subscriptionStore } from './stores/accounts.ts';
import { channelStateStore } from './stores/channel-state.ts';
import { channelStore } from './stores/channels.ts';
import { dueWorkStore } from './stores/due-work.ts';
import { idempotencyStore, mailStore, setupSessionStore } from './stores/flows.ts';
import { parkedFactsStore } from './stores/parked.ts';
import { sendStore } from './stores/sends.ts';
import { ownerStore } from './stores/owners.ts';
import type { MongoOwners } from './stores/owners.ts';

export type { MongoOwners, Owner } from './stores/owners.ts';

export interface MongoStats {
  lanes: Record<keyof Ground['lanes'], LaneStats>;
  /** Attempts after the first, of anything. */
  repeated: number;
}

export interface MongoStore {
  stores: Stores;
  channelState: ActorChannelStore;
  owners: MongoOwners;
  /** Writes what was accepted, then closes every connection. Later calls throw StoreUnavailable. */
  close(): Promise<void>;
  stats(): MongoStats;
  /** Whether a server that takes writes is in sight, as the driver's monitor last saw it. Costs nothing. */
  isReachable(): boolean;
}

/** How long a fail-over may take before a call is given up. [architecture §7: under 5 s: wait, then go on] */
const budgetMs = 8_000;

/**
 * Connects and makes what indexes are missing. Throws StoreUnavailable, with one clear line, when no server answers in 5 s or
 * an index can't be made. Every call of the stores takes at most 8 s and the last attempt, 14 s in all. [faults: 26]
 */
export async function openMongoStore(options: {
  uri: string;
  log: Log;
  clock: Clock;
  appName?: string;
}): Promise<MongoStore> {
  const { uri, log, clock, appName = 'trunkline' } = options;
  const connection = await connect(uri, appName);
  const patience = new Patience({ clock, log, budgetMs });
  try {
    await makeIndexes(connection.db, patience);
  } catch (error) {
    await connection.client.close();
    throw error;
  }
  return storeOn(connection, patience);
}

/** The store on an open connection whose indexes are made. */
export function storeOn(connection: Connection, patience: Patience): MongoStore {
  const ground = groundOn(connection, patience);
  const lanes = Object.values(ground.lanes);
  return {
    stores: storesOn(ground),
    channelState: channelStateStore(ground),
    owners: ownerStore(ground),
    async close() {
      await Promise.all(lanes.map((lane) => lane.drain()));
      patience.close();
      await connection.client.close();
    },
    stats: () => ({
      lanes: {
        messages: ground.lanes.messages.stats(),
        deliveries: ground.lanes.deliveries.stats(),
        held: ground.lanes.held.stats(),
        mails: ground.lanes.mails.stats(),
        idempotency: ground.lanes.idempotency.stats(),
        parked: ground.lanes.parked.stats(),
      },
      repeated: patience.repeated,
    }),
    isReachable: () => connection.isReachable(),
  };
}

function groundOn(connection: Connection, patience: Patience): Ground {
  const lane = (name: string): Lane => new Lane({ name, commands: commandsOn(connection, name), patience });
  return {
    ...collectionsOf(connection.db),
    patience,
    safely: connection.safely,
    lanes: {
      messages: lane('messages'),
      deliveries: lane('deliveries'),
      held: lane('held_facts'),
      mails: lane('mails'),
      idempotency: lane('idempotency'),
      parked: lane('parked_facts'),
    },
  };
}

function storesOn(ground: Ground): Stores {
  return {
    accounts: accountStore(ground),
    keys: keyStore(ground),
    redirects: redirectStore(ground),
    subscriptions: subscriptionStore(ground),
    channels: channelStore(ground),
    setupSessions: setupSessionStore(ground),
    idempotency: idempotencyStore(ground),
    mails: mailStore(ground),
    dueWork: dueWorkStore(ground),
    parked: parkedFactsStore(ground),
    sends: sendStore(ground),
  };
}
