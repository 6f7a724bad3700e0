/** config/compose with real balancers and their real configuration: what docs/operating/deploying.md promises works. */
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import net from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createInterface } from 'node:readline';
import { io } from 'socket.io-client';
import { parse } from 'yaml';
import { livePath } from '../../src/features/live/subscribers.ts';
import { fileForm } from '../support/file-form.ts';
import { clusterHookMs, describeCluster } from '../support/cluster.ts';
import { describeWithProgram } from '../support/programs.ts';
import { newPerson } from '../support/sends.ts';
import { until } from '../support/until.ts';
import { PlayedCompose } from './compose-played.ts';
import type { PlayedBalancer } from './compose-played.ts';
import { browserTest } from '../support/browser.ts';
import { openBrowser } from '../support/open-browser.ts';
import { builtFile } from '../support/built.ts';
import { Inbox } from '../support/inbox.ts';
import type { MongoSource } from '../support/mongo-server.ts';
import { connect, setWebhook, signedUp } from '../pages/browsing.ts';
import { asset, person } from '../support/world.ts';
import type { Channel } from '../support/world.ts';
import { samplesOf, sumOf } from './prometheus.ts';

jest.setTimeout(clusterHookMs);

/** Of a client between two sends: without it four clients take the processor from what they test. */
const pauseMs = 20;

describe.each(['haproxy', 'nginx'] as const)('config/compose, played as processes', (name) => {
  describeWithProgram(name, `behind ${name}`, (path) =>
    describeCluster('with three nodes', playedBehind({ name, path })),
  );
});

function playedBehind(balancer: PlayedBalancer): (source: MongoSource) => void {
  return (source) => {
    let played: PlayedCompose;
    let channel: Channel;
    beforeAll(async () => {
      played = await PlayedCompose.start(source, balancer);
    }, clusterHookMs);
    afterAll(() => played.close());

    const send = () => played.world.send(channel, 'hello', newPerson('chatapp'));
    const withKey = (key: string) =>
      played.world.service.call('GET', '/api/v1/channels', { headers: { 'x-api-key': key } });
    /** By node, so many series of `http_requests_total`. */
    const countEach = (labels: Record<string, string>) =>
      Promise.all(
        played.nodes.map(async (node) =>
          sumOf(samplesOf(await node.metrics()), 'http_requests_total', labels),
        ),
      );

    test('a channel is connected, sends, and receives, all through the balancer', async () => {
      channel = await played.world.connected('chatapp');
      const sent = await send();
      expect(sent.body).toMatchObject({ success: true, status: 'sent' });
      await played.inbox.event('message.delivered', sent.body.message_id);
      await played.world.write(channel, { text: 'thanks' });
      await played.inbox.event('message.received');
    });

    test('a file that is larger than what upstream posts is uploaded', async () => {
      const file = new File([Buffer.alloc(6 * 1024 * 1024)], 'a.pdf', { type: 'application/pdf' });
      const body = fileForm({ channel_id: channel.id, media_type: 'document' }, file);
      const made = await played.world.service.call('POST', '/api/v1/media', { key: channel.key, body });
      expect([made.status, made.body.file_size]).toEqual([201, file.size]);
    });

    test('the requests of a key go to one node, other keys to other nodes, requests without a key to each', async () => {
      // On a busy machine a balancer may take its node for gone for a moment.
      await until('20 sends to go to one node', async () => {
        const before = await countEach({ route: 'sendText' });
        for (let n = 0; n < 20; n += 1) expect((await send()).body.status).toBe('sent');
        const sends = (await countEach({ route: 'sendText' })).map((count, node) => count - before[node]!);
        return sends.includes(20);
      });
      await Promise.all(Array.from({ length: 60 }, (_, n) => withKey(`key ${n}`)));
      expect((await countEach({ status: '401' })).filter((count) => count === 0)).toEqual([]);
      await Promise.all(Array.from({ length: 60 }, () => played.world.service.call('GET', '/nowhere')));
      expect((await countEach({ route: 'none' })).filter((count) => count === 0)).toEqual([]);
    });

    test('every node is listed, and linked with the one that answers', async () => {
      const { body } = await played.world.service.admin('GET', '/nodes');
      const nodes: [string, boolean][] = body.nodes.map((node: { node_id: string; linked: boolean }) => [
        node.node_id,
        node.linked,
      ]);
      expect(new Map(nodes)).toEqual(
        new Map([
          ['node-1', true],
          ['node-2', true],
          ['node-3', true],
        ]),
      );
    });

    test('a client of the live feed with the websocket transport hears events', async () => {
      const socket = io(`${played.world.service.url}/live`, {
        path: livePath,
        transports: ['websocket'],
        auth: { apiKey: channel.key },
      });
      const heard = new Promise((resolve) => socket.once('event', resolve));
      await new Promise((resolve, reject) => {
        socket.once('connect', () => resolve(null));
        socket.once('connect_error', reject);
      });
      await send();
      expect(await heard).toBeDefined();
      socket.close();
    });

    test('npm run listen, given the address of the balancer, forwards events', async () => {
      const forwarded = await Inbox.open();
      const args = ['--key', channel.key, '--forward-to', forwarded.url, '--url', played.world.service.url];
      const listening = spawn(process.execPath, [builtFile('src/app/listen-cli.js'), ...args]);
      try {
        const lines = createInterface({ input: listening.stdout })[Symbol.asyncIterator]();
        expect((await lines.next()).value).toMatch(/^Connected to /);
        const sent = await send();
        await forwarded.event('message.sent', sent.body.message_id);
      } finally {
        listening.kill('SIGKILL');
        await forwarded.close();
      }
    });

    browserTest("the portal's live page is connected and shows events", async () => {
      const browser = await openBrowser();
      try {
        const { page } = await signedUp(browser, played.world.service.url);
        await connect(played.world, page, 'pagechat');
        await setWebhook(page, played.inbox.url);
        await page.goto(`${played.world.service.url}/portal/live`);
        await page.locator('#live', { hasText: /^connected$/ }).waitFor();
        await played.world.simulator.control('people/write', {
          channel: asset.pagechat,
          from: person.pagechat,
          text: 'hello',
          wait: true,
        });
        await page.locator('#events .event').first().waitFor();
      } finally {
        await browser.close();
      }
    });

    // [faults: 601]
    test('HTTP/2 is refused, whose connections carry a hundred requests at once: an address has 500 of them', async () => {
      const session = http2.connect(played.world.service.url);
      const isSpoken = await new Promise((resolve) =>
        session
          .on('remoteSettings', () => resolve(true))
          .on('error', () => resolve(false))
          .on('close', () => resolve(false)),
      );
      session.destroy();
      expect(isSpoken).toBe(false);
    });

    // [faults: 602] More than the 768 connections of Debian's nginx.
    test('an address opens 800 connections, on which headers never end: others are served', async () => {
      const { hostname, port } = new URL(played.world.service.url);
      const strangers = Array.from({ length: 800 }, () => {
        const socket = net.connect({ host: hostname, port: Number(port), localAddress: '127.0.0.2' });
        socket.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: x\r\nX: ');
        return socket;
      });
      await until('the connections', () => strangers.every(({ connecting }) => !connecting));
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => fetch(`${played.world.service.url}/readyz`).catch(String)),
      );
      for (const socket of strangers) socket.destroy();
      expect(answers).toMatchObject(Array.from({ length: 20 }, () => ({ status: 200 })));
    });

    test('X-Forwarded-For of a client does not change its limit', async () => {
      const statuses = new Set<number>();
      const guess = async (index: number): Promise<void> => {
        const headers = {
          'x-forwarded-for': `198.51.${index % 7}.${index % 250}`,
          'x-api-key': `mip_live_${'w'.repeat(43)}`,
        };
        statuses.add((await played.world.service.call('GET', '/api/v1/channels', { headers })).status);
      };
      // Ten at once: one by one they would be no faster than the limit of ten failures a second.
      // Each node counts for itself: a hundred, and ten a second.
      for (let first = 0; first < 2_000 && !statuses.has(429); first += 10)
        await Promise.all(Array.from({ length: 10 }, (_, n) => guess(first + n)));
      expect(statuses).toEqual(new Set([401, 429]));
    });

    test.each(['node-1', 'node-2', 'node-3'])('%s is stopped during sends: none fails', async (name) => {
      const node = played.nodes.find(({ id }) => id === name);
      if (node === undefined) throw new Error(`no ${name}`);
      const answers: unknown[] = [];
      let isOver = false;
      const sending = Promise.all(
        [1, 2, 3, 4].map(async () => {
          while (!isOver) {
            answers.push((await send()).body.success);
            await wait(pauseMs);
          }
        }),
      );
      await until('some to be sent', () => answers.length > 20);
      expect(await node.terminate()).toBe(0);
      const until20More = answers.length + 20;
      await until('some more to be sent', () => answers.length > until20More);
      isOver = true;
      await sending;
      expect(answers.filter((success) => success !== true)).toEqual([]);
      await node.start();
      // The node's own answer: the balancer needs two checks to see it.
      let guessed = 0;
      await until(`the balancer to send to ${name} again`, async () => {
        // Wrong keys, others each time: a key's node is drawn by the nodes' ports, so that of six none may be of this one.
        await Promise.all(Array.from({ length: 6 }, () => withKey(`${name}-${(guessed += 1)}`)));
        return sumOf(samplesOf(await node.metrics()), 'http_requests_total', { status: '401' }) > 0;
      });
    });

    test("without Redis every node is ready: sends are delivered, and upstream's webhooks are processed", async () => {
      await played.redis.kill9();
      await until('no lease to be certain', async () => {
        const metrics = await Promise.all(played.nodes.map((node) => node.metrics()));
        return metrics.every((text) => sumOf(samplesOf(text), 'lease_valid', {}) === 0);
      });
      const answers = await Promise.all(Array.from({ length: 10 }, send));
      expect(answers.map(({ status, body }) => [status, body.status])).toEqual(
        answers.map(() => [200, 'sent']),
      );
      const text = 'while Redis is away';
      const posted = await played.world.write(channel, { text, wait: true });
      expect(posted.answers).toEqual([200]);
      await played.inbox.next(1, ({ event }) => event.data['text'] === text);
      const ready = await Promise.all(played.nodes.map((node) => fetch(`${node.url}/readyz`)));
      expect(ready.map(({ status }) => status)).toEqual([200, 200, 200]);
      await played.redis.restart('empty');
    });
  };
}

/** mongosh as far as the check needs it: `quit` ends it at once. */
test.each([
  ['a server that is new', 'throws', false, ['initiated'], 1],
  ['a set without its primary', 'answers', false, [], 1],
  ['a set with its primary', 'answers', true, [], 0],
])('the health check of MongoDB, %s', (_, status, isWritablePrimary, does, code) => {
  const { services } = parse(
    readFileSync(join(import.meta.dirname, '../../config/compose/compose.yml'), 'utf8'),
    {
      merge: true,
    },
  );
  const script = services.mongodb.healthcheck.test.at(-1);
  const shell = `
    const quit = (code) => process.exit(code);
    const db = { hello: () => ({ isWritablePrimary: ${isWritablePrimary} }) };
    const rs = { status: () => { if ('${status}' === 'throws') throw new Error('no replset config') }, initiate: () => console.log('initiated') };
    ${script}`;
  let said = '';
  let ended = 0;
  try {
    said = execFileSync(process.execPath, ['-e', shell], { encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    ({ status: ended, stdout: said } = Object(error));
  }
  expect([said.split('\n').filter(Boolean), ended]).toEqual([does, code]);
});
