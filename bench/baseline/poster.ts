/**
 * Only delivers signed events: with the product's own poster, or with a bare `undici.request` loop. `POST /run` {urls, posts, inFlight |
 * perSecond, seconds} runs such a load and answers its latencies and failures; deliveries to the `dead` URL are in neither.
 * [performance §3, 4b]
 */
import { noNetworks } from '../../src/rules/address.ts';
import { Agent, request } from 'undici';
import { newSealer } from '../../test/support/sealing.ts';
import { makeWebhookPoster } from '../../src/delivery/index.ts';
import { sealContext } from '../../src/kernel/sealed.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/ids.ts';
import { silentLog } from '../../test/support/silent-log.ts';
import { hmacOf, serve, setting } from './serve.ts';
import { receivedEvent } from './wire.ts';

interface Run {
  urls: string[];
  posts: number;
  seconds: number;
  inFlight: number | null;
  perSecond: number | null;
  dead: string | null;
}

type Post = (url: string, body: Buffer) => Promise<boolean>;

const channelId = newId();
const text = 'hello, are you open on Sunday? '.repeat(16);

function product(): Post {
  const sealer = newSealer();
  const secret = sealer.sealText('example-webhook-secret', sealContext.webhookSecret(channelId));
  const poster = makeWebhookPoster({
    timeoutMs: 5_000,
    allowInsecure: true,
    sealer,
    clock: systemClock,
    log: silentLog,
    allowedNetworks: noNetworks,
    ownOrigins: [],
    ownPorts: [],
  });
  const always = { channelId, secret, attempt: 1, since: Date.now(), isFailing: false };
  return async (url, body) => (await poster.post({ ...always, url, deliveryId: newId(), body })).ok;
}

function bare(): Post {
  const dispatcher = new Agent({ keepAliveTimeout: 60_000, headersTimeout: 5_000, bodyTimeout: 5_000 });
  return async (url, body) => {
    const headers = {
      'content-type': 'application/json',
      'x-webhook-id': newId(),
      'x-webhook-signature': hmacOf('example-webhook-secret', body),
    };
    try {
      const answer = await request(url, { method: 'POST', headers, body, dispatcher });
      await answer.body.dump();
      return answer.statusCode === 200;
    } catch {
      return false; // the caller counts the failure
    }
  };
}

const post = setting('POSTER') === 'product' ? product() : bare();

serve(async (_, body) => {
  const run: Run = JSON.parse(body.toString());
  return JSON.stringify(await deliver(run));
});

async function deliver({ urls, posts, seconds, inFlight, perSecond, dead }: Run) {
  const latencies: number[] = [];
  let [launched, failed] = [0, 0];
  const startedAt = performance.now();
  const isOver = (): boolean => launched >= posts || performance.now() - startedAt > seconds * 1_000;
  const one = async (from: number): Promise<void> => {
    launched += 1;
    const url = urls[launched % urls.length] ?? '';
    const event = receivedEvent(`message-${launched}`, '4915900000777', text, '1767225600');
    const isDelivered = await post(url, event);
    if (url === dead) return;
    if (isDelivered) latencies.push(performance.now() - from);
    else failed += 1;
  };
  const worker = async (): Promise<void> => {
    while (!isOver()) await one(performance.now());
  };
  if (perSecond === null) await Promise.all(Array.from({ length: inFlight ?? 1 }, worker));
  else await paced(one, perSecond, isOver, startedAt);
  return { latencies, failed, ms: performance.now() - startedAt };
}

/** Waits half a second for the last deliveries; those to the dead host time out only after the run has been answered. */
async function paced(
  one: (from: number) => Promise<void>,
  perSecond: number,
  isOver: () => boolean,
  startedAt: number,
): Promise<void> {
  for (let n = 0; !isOver();) {
    while (n < ((performance.now() - startedAt) * perSecond) / 1_000) {
      void one(startedAt + (n * 1_000) / perSecond);
      n += 1;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await new Promise((resolve) => setTimeout(resolve, 500));
}
