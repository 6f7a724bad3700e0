/** [faults: 94] Signed webhooks that hold far more than upstream ever sends. Other requests are served while they are processed. */
import { createHmac } from 'node:crypto';
import { beforeAll, expect, jest, test } from '@jest/globals';
import { call } from '../support/api.ts';
import type { Answer } from '../support/api.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { asset, newAccount, person } from '../support/world.ts';
import { laxWorld } from '../support/upstream-app.ts';

jest.setTimeout(120_000);

const appSecret = 'example-app-secret-0001';

const world = sharedWorld({}, laxWorld);
beforeAll(async () => {
  const account = await newAccount(world.service);
  await world.connect(account, 'chatapp');
  await world.connect(account, 'pagechat');
});

interface Told {
  answer: Answer;
  /** How many requests of others were answered meanwhile. */
  others: number;
}

async function tell(body: object): Promise<Told> {
  const raw = JSON.stringify(body);
  const signature = `sha256=${createHmac('sha256', appSecret).update(raw).digest('hex')}`;
  let isOver = false;
  const posted = call('POST', `${world.service.url}/upstream/webhooks`, {
    raw,
    headers: { 'x-hub-signature-256': signature, 'content-type': 'application/json' },
  }).finally(() => (isOver = true));
  let others = 0;
  while (!isOver) {
    expect((await call('GET', `${world.service.url}/healthz`)).status).toBe(200);
    others += 1;
  }
  return { answer: await posted, others };
}

const ofNumber = (value: object): object => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '1',
      changes: [{ field: 'messages', value: { metadata: { phone_number_id: asset.chatapp }, ...value } }],
    },
  ],
});
const ofPage = (...messaging: object[]): object => ({
  object: 'page',
  entry: [{ id: asset.pagechat, time: Date.now(), messaging }],
});
const onPage = { sender: { id: person.pagechat }, recipient: { id: asset.pagechat }, timestamp: Date.now() };

test('3,000 messages and 50,000 contacts in one POST', async () => {
  const messages = Array.from({ length: 3_000 }, (_, n) => ({
    id: `f.${n}`,
    from: `49${n}`,
    type: 'text',
    text: { body: 'a' },
  }));
  const contacts = Array.from({ length: 50_000 }, (_, n) => ({ wa_id: `x${n}`, profile: { name: 'a' } }));
  contacts.push({ wa_id: '490', profile: { name: 'Nobody else' } });
  const { answer, others } = await tell(ofNumber({ contacts, messages }));
  expect(answer.status).toBe(200);
  expect(others).toBeGreaterThan(50);
  const [first] = await world.inbox.next(1, ({ event }) => event.data['from'] === '490');
  expect(first?.event.data['from_name']).toBe('Nobody else');
  await world.inbox.next(3_000, ({ event }) => event.event === 'message.received', 90_000);
});

test('20,000 attachments in one message: the first fifty make events', async () => {
  const attachments = Array.from({ length: 20_000 }, (_, n) => ({ type: `strange-${n}`, payload: {} }));
  const { answer } = await tell(ofPage({ ...onPage, message: { mid: 'm_attached', attachments } }));
  expect(answer.status).toBe(200);
  const isTold = ({ event }: { event: { channel_type: string; event: string } }): boolean =>
    event.channel_type === 'pagechat' && event.event === 'message.received';
  await world.inbox.next(50, isTold);
  await tell(ofPage({ ...onPage, message: { mid: 'm_after', text: 'after it' } }));
  await world.inbox.next(1, ({ event }) => event.data['text'] === 'after it');
  expect(world.inbox.arrivals.filter(isTold).length).toBe(51);
});

test('20,000 mids in one receipt', async () => {
  const mids = Array.from({ length: 20_000 }, (_, n) => `m_unknown_${n}`);
  const { answer, others } = await tell(ofPage({ ...onPage, delivery: { mids, watermark: Date.now() } }));
  expect(answer.status).toBe(200);
  expect(others).toBeGreaterThan(50);
  // The memory for receipts is bounded, and so is what a next owner would load.
  const { body } = await world.service.call('GET', '/readyz');
  expect(body.status).toBe('ready');
});

const many = (make: (n: number) => object): object[] => Array.from({ length: 20_000 }, (_, n) => make(n));
const ofAccounts = (field: string, value: (n: number) => object): object => ({
  object: 'whatsapp_business_account',
  entry: many((n) => ({ id: `8${n}`, changes: [{ field, value: value(n) }] })),
});
const read = (sender: string): object => ({
  ...onPage,
  sender: { id: sender },
  read: { watermark: Date.now() },
});

test.each([
  ['numbers', ofAccounts('phone_number_quality_update', () => ({ display_phone_number: '1' }))],
  ['templates', ofAccounts('message_template_components_update', (n) => ({ message_template_id: `${n}` }))],
  ['conversations that were read', ofPage(...many((n) => read(`7${n}`)))],
])('20,000 %s of which none is known', async (_, body) => {
  const { answer, others } = await tell(body);
  expect(answer.status).toBe(200);
  expect(others).toBeGreaterThan(100);
});
