/** nyaruka/courier with its PostgreSQL and its Redis, and the work that the other programs of its platform would give it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { newId } from '../../src/kernel/ids.ts';
import { freePort } from '../../test/support/ports.ts';
import { appSecret } from '../load/upstream-posts.ts';
import type { Program } from '../world/programs.ts';
import { startRedis } from '../world/redis.ts';
import type { Testbed } from '../world/testbed.ts';
import { buildPeer } from './checkout.ts';
import type { Checkout } from './checkout.ts';
import { startPostgres } from './postgres.ts';
import type { Postgres } from './postgres.ts';

export interface Courier {
  program: Program;
  /** Its PostgreSQL and its Redis. */
  servers: readonly Program[];
  /** Takes upstream's POSTs. */
  hookUrl: string;
  /** Writes messages, as the peer's platform does before it asks for their sending; returns them as the queue has them. */
  write: (count: number) => string[];
  /** Puts messages into the queue from which the peer sends. */
  ask: (messages: readonly string[]) => Promise<void>;
  /** How many messages have each status: `R 3000, W 1000` are read and sent. */
  stored: () => string;
  stop: () => Promise<void>;
}

export const courierPhone = '422300000000992';
/** The WhatsApp channel of the peer's own test data; the rest is ours. */
const channel = { id: 17, uuid: 'dbc126ed-66bc-4e28-b67b-81dc33277a17', org: 1 };
const [firstPerson, persons] = [2_000, 10_000];
const text = 'Your order is ready. Come by whenever it suits you, we are here until six.';
const highPriority = '1';

/** Builds and starts all of it, on the peer's own test schema. */
export async function startCourier(testbed: Testbed, checkout: Checkout): Promise<Courier> {
  const { programs, folder, stub } = testbed;
  const command = join(folder, 'courier');
  buildPeer(checkout, `${stub.url}/`, command);
  const postgres = await startPostgres(testbed);
  for (const file of ['schema.sql', 'data.sql'])
    postgres.query(readFileSync(join(checkout.folder, 'testsuite/testdata', file), 'utf8'));
  postgres.query(ours);
  const redis = await startRedis(programs);
  // Its services for files, logs and live pages: one that accepts everything, and is not part of the figures.
  const others = await programs.node('accepts-all', 'dist/bench/baseline/echo.js', {});
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...environmentOf(postgres.url, redis.url, others.url),
    COURIER_SPOOL_DIR: join(folder, 'courier-spool'),
    COURIER_INTERNET_PORT: String(port),
    COURIER_INTERNAL_PORT: String(await freePort()),
  };
  const program = await programs.start({ name: 'courier', command, args: [], env, ready: { answers: url } });
  const queue = new Redis(redis.url);
  const push = await queue.script(
    'LOAD',
    readFileSync(join(checkout.folder, 'utils/queue/lua/push.lua'), 'utf8'),
  );
  return {
    program,
    servers: [postgres.program, redis],
    hookUrl: `${url}/c/wac/receive`,
    write: (count) => written(postgres, count),
    ask: (messages) => pushed(queue, String(push), messages),
    stored: () => postgres.query(byStatus),
    async stop() {
      queue.disconnect();
      await Promise.all([program, others, redis].map((one) => one.stop()));
      await postgres.program.stop();
    },
  };
}

function environmentOf(postgres: string, redis: string, others: string): Record<string, string> {
  return {
    COURIER_DB: postgres,
    COURIER_VALKEY: `${redis.replace('redis:', 'valkey:')}/0`,
    COURIER_DYNAMO_ENDPOINT: others,
    COURIER_S3_ENDPOINT: others,
    COURIER_CENTRIFUGO_ENDPOINT: others,
    COURIER_FACEBOOK_APPLICATION_SECRET: appSecret,
    COURIER_WHATSAPP_ADMIN_SYSTEM_USER_TOKEN: 'token-of-the-bench',
    // By default it refuses to call this machine, where upstream is.
    COURIER_DISALLOWED_NETWORKS: '192.0.2.0/24',
    COURIER_INTERNET_ADDRESS: '127.0.0.1',
    COURIER_INTERNAL_ADDRESS: '127.0.0.1',
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
  };
}

/** The index is that of its platform's schema, which its test schema leaves out. */
const ours = `
truncate msgs_msg; -- its samples, whose ids those of a load would reach
update channels_channel set address = '${courierPhone}' where id = ${channel.id};
create index on msgs_msg (channel_id, external_identifier) where external_identifier is not null;
insert into contacts_contact (id, is_active, status, created_on, modified_on, uuid, ticket_count, created_by_id, modified_by_id, org_id)
  select n, true, 'A', now(), now(), gen_random_uuid(), 0, 1, 1, ${channel.org} from generate_series(${firstPerson}, ${firstPerson + persons - 1}) n;
insert into contacts_contacturn (id, identity, path, scheme, priority, channel_id, contact_id, org_id)
  select n, 'whatsapp:49159' || (1000000 + n), '49159' || (1000000 + n), 'whatsapp', 50, ${channel.id}, n, ${channel.org}
  from generate_series(${firstPerson}, ${firstPerson + persons - 1}) n;
insert into contacts_contact (id, is_active, status, created_on, modified_on, uuid, name, ticket_count, created_by_id, modified_by_id, org_id)
  values (1999, true, 'A', now(), now(), gen_random_uuid(), 'Mia Vogel', 0, 1, 1, ${channel.org});
insert into contacts_contacturn (id, identity, path, scheme, priority, channel_id, contact_id, org_id)
  values (1999, 'whatsapp:4915900000777', '4915900000777', 'whatsapp', 50, ${channel.id}, 1999, ${channel.org});
analyze;
`;

const byStatus = `
select string_agg(status || ' ' || n, ', ' order by status)
  from (select status, count(*) n from msgs_msg where direction = 'O' and channel_id = ${channel.id} group by status) each;
`;

let person = 0;

function written(postgres: Postgres, count: number): string[] {
  const messages = Array.from({ length: count }, () => {
    person = (person + 1) % persons;
    return { uuid: newId(), contact: firstPerson + person };
  });
  const rows = messages.map(
    ({ uuid, contact }) =>
      `('${uuid}', '${text}', now(), now(), 'T', 'O', 'Q', 'V', false, 1, true, 0, ${channel.id}, ${contact}, ${contact}, ${channel.org})`,
  );
  postgres.query(
    `insert into msgs_msg (uuid, text, created_on, modified_on, msg_type, direction, status, visibility, is_android, msg_count,
       high_priority, error_count, channel_id, contact_id, contact_urn_id, org_id) values ${rows.join(',')};`,
  );
  return messages.map(({ uuid, contact }) => queuedOf(uuid, contact));
}

function queuedOf(uuid: string, contact: number): string {
  const message = {
    org_id: channel.org,
    uuid,
    contact: { id: contact, uuid: newId() },
    high_priority: true,
    text,
    created_on: new Date().toISOString(),
    channel_uuid: channel.uuid,
    urn: `whatsapp:49159${1_000_000 + contact}`,
    origin: 'flow',
  };
  return JSON.stringify([message]);
}

async function pushed(queue: Redis, script: string, messages: readonly string[]): Promise<void> {
  const pipeline = queue.pipeline();
  const now = (Date.now() / 1_000).toFixed(6);
  for (const message of messages)
    pipeline.evalsha(script, 6, now, 'msgs', channel.uuid, '0', highPriority, message);
  await pipeline.exec();
}
