/** [operator-interface §2, OTEL_EXPORTER_OTLP_ENDPOINT] A request, the calls that it causes and their webhooks are one trace. */
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { builtFile } from '../support/built.ts';
import { openCollector } from '../support/collector.ts';
import type { CollectedSpan } from '../support/collector.ts';
import { World } from '../support/world.ts';

const client = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const traceparent = `00-${client.traceId}-${client.spanId}-01`;

const inTrace = (spans: readonly CollectedSpan[], of: string | undefined) =>
  spans
    .filter(({ traceId }) => traceId === of)
    .map(({ name }) => name)
    .toSorted();

test('a send in the trace of its client, an inbound message in one of its own; no stranger continues one', async () => {
  const collector = await openCollector();
  const world = await World.open({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const channel = await world.connected('chatapp', { events: ['message.received', 'message.sent'] });
  const send = (key: string, text: string) =>
    fetch(`${world.service.url}/api/v1/messages/send`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', traceparent },
      body: JSON.stringify({ channel_id: channel.id, recipient: '4915900000777', text }),
    });
  expect((await send('mip_live_wrong', 'the text of a stranger')).status).toBe(401);
  const answer = await send(channel.key, 'the text of a send');
  expect(answer.headers.get('x-request-id')).toBe(`${client.traceId}-${client.spanId}`);
  await world.inbox.event('message.sent');
  await world.write(channel, { text: 'the text of a customer', wait: true });
  await world.inbox.event('message.received');
  await world.close();
  await collector.close();

  const spans = collector.spans();
  const names = ['POST /api/v1/messages/send', 'upstream POST', 'webhook POST'];
  expect(inTrace(spans, client.traceId)).toEqual(names);
  const [request] = spans.filter(({ name, traceId }) => name === names[0] && traceId === client.traceId);
  expect(request?.parentSpanId).toBe(client.spanId);
  const parts = spans.filter(({ traceId, name }) => traceId === client.traceId && name !== names[0]);
  expect(parts.map(({ parentSpanId }) => parentSpanId)).toEqual([request?.spanId, request?.spanId]);
  const received = spans.find(
    ({ name, traceId }) =>
      name === 'POST /upstream/webhooks' && inTrace(spans, traceId).includes('webhook POST'),
  );
  expect(received?.parentSpanId).toBeNull();

  const all = collector.posts.map(({ body }) => body).join('\n');
  for (const secret of ['the text of', channel.key, channel.webhookSecret, '4915900000777', 'access_token'])
    expect([secret, all.includes(secret)]).toEqual([secret, false]);
});

test('without a collector nothing of it is loaded', () => {
  const folder = dirname(builtFile('src/main.js'));
  const bundles = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const texts = bundles.map((name) => readFileSync(join(folder, name), 'utf8'));
  expect(texts.filter((text) => text.includes('import("@opentelemetry/api")'))).toHaveLength(1);
  expect(texts.filter((text) => /^import [^;]*@opentelemetry/m.test(text))).toEqual([]);
});
