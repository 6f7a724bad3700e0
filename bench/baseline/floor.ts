/**
 * `floor`: node:http, undici and the product's own durable writes (the same store, the same sealed rows, the same number of commits),
 * without Express, features, actors or any rule of the specification. The service's cost above the floor is the cost of those.
 * [performance §3]
 */
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { newSealer } from '../../test/support/sealing.ts';
import { makeFloorHook } from './floor-hook.ts';
import { makeFloorIngest } from './floor-ingest.ts';
import { makeFloorSend } from './floor-send.ts';
import { openFloorStore } from './floor-store.ts';
import type { FloorChannel, FloorWorld } from './floor-world.ts';
import { serve, setting } from './serve.ts';

const listed: { id: string; phone: string }[] = JSON.parse(
  readFileSync(setting('FLOOR_CHANNELS_FILE'), 'utf8'),
);
const store = await openFloorStore();
const channels = new Map<string, FloorChannel>();
for (const { id, phone } of listed) {
  const channel = { id, epoch: await store.own(id), upstreamPath: `/v25.0/${phone}/messages` };
  channels.set(id, channel).set(phone, channel);
}
const pool = (url: string): Pool =>
  new Pool(new URL(url).origin, { connections: 256, keepAliveTimeout: 30_000 });

const world: FloorWorld = {
  channels,
  accountId: '5c2f6f0e-0000-4000-8000-000000000001',
  store: store.channelState,
  sealer: newSealer(),
  upstream: pool(setting('UPSTREAM_URL')),
  receiver: pool(setting('RECEIVER_URL')),
  receiverPath: new URL(setting('RECEIVER_URL')).pathname,
  appSecret: setting('UPSTREAM_APP_SECRET'),
  webhookSecret: 'example-webhook-secret',
  apiKeyHash: setting('FLOOR_API_KEY_HASH'),
};
const send = makeFloorSend(world);
const ingest = makeFloorIngest(world);
const hook = makeFloorHook(world);

serve(
  (request, body) => {
    if (request.url === '/send') return send(request, body);
    return request.url === '/hook' ? hook(request, body) : ingest(request, body);
  },
  async () => {
    await Promise.all([world.upstream.destroy(), world.receiver.destroy()]);
    await store.close();
  },
);
