/** Channels of a service: some connected through the real flow, others copied from them into the store. */
import { join } from 'node:path';
import { makeSealer } from '../../src/kernel/sealing.ts';
import { databaseClass } from '../../src/storage/sqlite/sqlite.ts';
import type { Database, Value } from '../../src/storage/sqlite/sqlite.ts';
import { sealContext } from '../../src/kernel/sealed.ts';
import { newId } from '../../src/kernel/ids.ts';
import { newAccount, setupCode } from '../../test/support/world.ts';
import { asService } from './testbed.ts';
import type { Testbed } from './testbed.ts';
import type { Program } from './programs.ts';

export interface BenchChannel {
  id: string;
  key: string;
  phone: string;
}

/** Phone number ids that the simulator knows. */
export const phones = { sender: '422300000000002', inbound: '422300000000102' } as const;

export interface Webhook {
  url: string;
  events: readonly string[];
}

/** Connects as a client does: account, setup flow, code. */
export async function connect(
  testbed: Testbed,
  program: Program,
  phone: string,
  webhook: Webhook | null,
): Promise<BenchChannel> {
  const service = asService(program);
  const { key } = await newAccount(service);
  const code = await setupCode(service, testbed.simulator, key, 'chatapp', phone);
  const wanted = webhook === null ? {} : { webhook_url: webhook.url, webhook_events: webhook.events };
  const answer = await service.call('POST', '/api/v1/channels/exchange-code', {
    key,
    body: { code, ...wanted },
  });
  if (answer.status !== 200) throw new Error(`exchange-code answered ${answer.status}: ${answer.text}`);
  return { id: answer.body.channel_id, key, phone };
}

/** Uses the key of `environment` in test/support/service.ts. */
const sealer = makeSealer([Buffer.alloc(32, 7).toString('base64')]);
export const clonePhone = (n: number): string => String(500_000_000_000_000 + n);

/**
 * Inserts `count` copies of the channel, each with its own licence, token and secret, into the embedded store of a service that is not
 * running: the real flow would take 30 ms for each. Copies all columns and replaces those that must differ. Their health counts as checked
 * now: otherwise the service would ask upstream about them in turn during the loads, and as upstream does not know them, each answer is a
 * change that makes its channel live.
 */
export async function cloneChannels(
  dataDir: string,
  like: BenchChannel,
  count: number,
): Promise<BenchChannel[]> {
  const db = await openDatabase(dataDir);
  const channel = rowOf(db, 'channels', like.id);
  const licence = rowOf(db, 'subscriptions', String(channel['subscription_id']));
  const insertChannel = inserter(db, 'channels', channel);
  const insertLicence = inserter(db, 'subscriptions', licence);
  const { account_id = null } = channel;
  const checked = { channel_id: '', account_id, checked_at: Date.now() };
  const insertHealth = inserter(db, 'channel_health', checked);
  db.exec('begin');
  const clones = Array.from({ length: count }, (_, n) => {
    const [id, subscription_id, phone] = [newId(), newId(), clonePhone(n)];
    const number = { phoneNumberId: phone, phoneNumber: `+49 30 ${100_000 + n}` };
    const profile = JSON.stringify({ ...readProfile(channel), ...number });
    // A different time for each: a list sorts all rows of one millisecond, which would be all clones.
    const created_at = Number(channel['created_at']) - n;
    const name = `Shop ${n}`;
    const own = { id, subscription_id, identity: phone, name, profile, created_at, ...sealedOf(id, channel) };
    insertLicence({ ...licence, id: subscription_id, created_at });
    insertChannel({ ...channel, ...own });
    insertHealth({ ...checked, channel_id: id });
    return { id, key: like.key, phone };
  });
  db.exec('commit');
  db.close();
  return clones;
}

/** Contains the phone number id that the channel sends as. */
function readProfile({ profile }: Row): object {
  const read: unknown = JSON.parse(String(profile));
  if (typeof read !== 'object' || read === null) throw new Error('the channel has no profile');
  return read;
}

export async function openDatabase(dataDir: string): Promise<Database> {
  const DatabaseOf = await databaseClass();
  return new DatabaseOf(join(dataDir, 'trunkline.db'));
}

export type Row = Record<string, Value>;

function rowOf(db: Database, table: string, id: string): Row {
  const row = db.prepare<Row>(`select * from ${table} where id = ?`).get(id);
  if (row === undefined) throw new Error(`${table} has no ${id}`);
  return row;
}

export function inserter(db: Database, table: string, like: Row): (row: Row) => void {
  const columns = Object.keys(like);
  const marks = columns.map(() => '?').join(', ');
  const statement = db.prepare(`insert into ${table} (${columns.join(', ')}) values (${marks})`);
  return (row) => void statement.run(...columns.map((column) => row[column] ?? null));
}

/** Sealed for the clone: a value sealed for another channel cannot be opened. */
export function sealedOf(
  id: string,
  like: Record<string, unknown>,
): { token: string; webhook_secret: string | null } {
  const secret = like['webhook_secret'] ?? like['webhookSecret'] ?? null;
  return {
    token: sealer.sealText('EAAexample-token-of-a-clone', sealContext.token(id)),
    webhook_secret:
      secret === null ? null : sealer.sealText('whsec-of-a-clone', sealContext.webhookSecret(id)),
  };
}
