import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { at, mia, phone, Stage, type Reply } from './support.ts';
import { listening } from '../support/ports.ts';

// Throttles with their headers [upstream §3.8], and links that fail at once or later [upstream §3.6, §9].

let stage: Stage;
const servers: Server[] = [];
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  await stage.close();
});

const codeOf = (reply: Reply): unknown => at(reply.body, 'error', 'code') ?? reply.status;

describe('throttles', () => {
  test.each([4, 17, 32, 613])('a refusal with %s carries the app’s usage', async (code) => {
    await stage.control('faults', { act: 'refuse', code });
    const reply = await stage.sendChatapp('Hello');
    expect([codeOf(reply), at(JSON.parse(reply.headers.get('x-app-usage') ?? ''), 'call_count')]).toEqual([
      code,
      100,
    ]);
    expect(reply.headers.has('retry-after')).toBe(false);
  });

  test.each([80001, 80002, 80006, 80007, 80008, 130429])(
    'a refusal with %s states when calls are accepted again',
    async (code) => {
      await stage.control('faults', { act: 'refuse', code, regain_minutes: 7 });
      const usage: unknown = JSON.parse(
        (await stage.sendChatapp('Hello')).headers.get('x-business-use-case-usage') ?? '',
      );
      expect(Object.values(Object(usage))).toEqual([
        [expect.objectContaining({ estimated_time_to_regain_access: 7, type: expect.any(String) })],
      ]);
    },
  );

  test('a fault with for_ms ends after that time, however often it acted', async () => {
    await stage.control('faults', { match: { channel: phone }, act: 'refuse', code: 131056, for_ms: 60_000 });
    const during = [await stage.sendChatapp('a'), await stage.sendChatapp('b')].map(codeOf);
    await stage.control('clock', { advance_ms: 60_001 });
    expect([...during, codeOf(await stage.sendChatapp('c'))]).toEqual([131056, 131056, 200]);
  });

  test('a scripted answer or refusal can carry any headers', async () => {
    const headers = { 'retry-after': '2', 'x-app-usage': '{"call_count":96}' };
    await stage.control('faults', { act: 'ok', headers });
    await stage.control('faults', { act: 'refuse', code: 131000, headers });
    const replies = [await stage.sendChatapp('a'), await stage.sendChatapp('b')];
    expect(replies.map((reply) => [reply.status, reply.headers.get('retry-after')])).toEqual([
      [200, '2'],
      [500, '2'],
    ]);
  });

  test('with rates on, a burst to one person is refused, and sends are accepted again later', async () => {
    await stage.control('settings', { rates: true });
    const codes = await Promise.all(Array.from({ length: 46 }, () => stage.sendChatapp('x').then(codeOf)));
    expect(codes.filter((code) => code === 131056).length).toBeGreaterThan(0);
    await stage.control('clock', { advance_ms: 600_000 });
    expect(codeOf(await stage.sendChatapp('x'))).toBe(200);
  });
});

describe('links', () => {
  async function served(answer: RequestListener): Promise<string> {
    const server = createServer(answer);
    servers.push(server);
    return `http://127.0.0.1:${await listening(server)}`;
  }

  const pageSend = (type: string, url: string) =>
    stage.sendPage(mia.psid, { attachment: { type, payload: { url } } });
  const photoSend = (type: string, url: string) =>
    stage.sendPage(mia.igsid, { attachment: { type, payload: { url } } });
  const subcodeOf = (reply: Reply): unknown => at(reply.body, 'error', 'error_subcode') ?? reply.status;

  test.each([
    ['image', 'a.jpg', 200, 200],
    ['image', 'missing.jpg', 2018008, 2018008],
    ['image', 'huge.jpg', 2018109, 2018109],
    ['image', 'a.mp4', 2018047, 2018047],
    ['image', 'a.webp', 200, 2018047],
    ['audio', 'a.mp3', 200, 2018047],
    ['audio', 'a.m4a', 200, 200],
    ['video', 'a.mp4', 200, 200],
    ['video', 'corrupt.mp4', 2018294, 2018294],
    ['file', 'a.pdf', 200, 200],
    ['file', 'a.txt', 200, 2018047],
  ])('%s %s: pagechat %s, photoapp %s', async (type, name, onPage, onPhoto) => {
    const url = `https://files.example/${name}`;
    expect([subcodeOf(await pageSend(type, url)), subcodeOf(await photoSend(type, url))]).toEqual([
      onPage,
      onPhoto,
    ]);
  });

  test.each([
    ['image', 'a.jpg', null],
    ['image', 'a.gif', 131053],
    ['image', 'missing.jpg', 131053],
    ['image', 'huge.jpg', 131053],
    ['audio', 'a.ogg', null],
    ['audio', 'a.wav', 131053],
    ['video', 'a.mp4', null],
    ['video', 'a.mov', 131053],
    ['document', 'a.anything', null],
    ['sticker', 'a.webp', null],
  ])('chatapp %s %s: the later failure is %s', async (type, name, code) => {
    await stage.subscribe();
    const link = `https://files.example/${name}`;
    expect((await stage.sendChatapp('', { type, [type]: { link } })).status).toBe(200);
    const [, second] = await stage.inbox.first(2);
    const status = at(second?.body, 'entry', 0, 'changes', 0, 'value', 'statuses', 0);
    expect([at(status, 'status'), at(status, 'errors', 0, 'code') ?? null]).toEqual([
      code === null ? 'delivered' : 'failed',
      code,
    ]);
  });

  test('chatapp refuses a bad link at once with 131052 if sync_media_failure is on', async () => {
    await stage.control('settings', { sync_media_failure: true });
    const link = 'https://files.example/missing.jpg';
    expect(codeOf(await stage.sendChatapp('', { type: 'image', image: { link } }))).toBe(131052);
  });

  test('a redirect is followed, an endless one is refused', async () => {
    const base = await served((req, res) => {
      const location = req.url === '/once' ? '/file.jpg' : '/loop';
      if (req.url === '/file.jpg') res.writeHead(200, { 'content-type': 'image/jpeg' }).end('x');
      else res.writeHead(302, { location }).end();
    });
    expect(subcodeOf(await pageSend('image', `${base}/once`))).toBe(200);
    expect(subcodeOf(await pageSend('image', `${base}/loop`))).toBe(2018008);
  });

  test('a video that takes too long is refused with a subcode of its own', async () => {
    const base = await served(() => undefined);
    await stage.control('settings', { link_timeout_ms: 20 });
    expect(subcodeOf(await pageSend('video', `${base}/a.mp4`))).toBe(2018294);
    expect(subcodeOf(await pageSend('image', `${base}/a.jpg`))).toBe(2018008);
  });
});
