/** [portal: Channel; faults: 422] The form that sends, with a file, posted again by a double click or by going back: one message. */
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { cameBack, connectedAt, newVisitor } from '../../pages/visitor.ts';
import type { Visitor } from '../../pages/visitor.ts';
import { fileForm } from '../../support/file-form.ts';
import { ledger, newPerson } from '../../support/sends.ts';
import { newBusiness } from '../../support/setup.ts';
import { sharedWorld } from '../../support/shared-world.ts';

const world = sharedWorld();
let visitor: Visitor;
let channel: string;
let recipient: string;
beforeAll(async () => {
  visitor = await newVisitor(world);
  const { pages } = await newBusiness(world.simulator);
  await world.simulator.control('dialog', { auto: 'allow', times: 1, assets: [pages[0]?.id ?? ''] });
  const begun = await visitor.post('/portal/channels/connect', { channel_type: 'pagechat' });
  channel = connectedAt((await cameBack(world, visitor, begun.location)).location);
});
beforeEach(() => {
  recipient = newPerson('pagechat');
});

/** Posts the form; returns the status and the id of the message that the page shows. */
async function post(once: string, text: string, more: Record<string, string> = {}) {
  const fields = { csrf: visitor.csrf, what: 'media', once, recipient, media_type: 'document', ...more };
  const form = fileForm(fields, new File([text], 'a.pdf', { type: 'application/pdf' }));
  const answer = await fetch(`${world.service.url}${channel}/send`, {
    method: 'POST',
    headers: { cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    body: form,
  });
  const page = await answer.text();
  return [answer.status, /message_id(?:&quot;|"): (?:&quot;|")([\w-]{36})/.exec(page)?.[1] ?? null];
}

const sent = async () => (await ledger(world.simulator, { recipient, outcome: 'all' })).length;

test('the page shows the first result', async () => {
  const first = await post('a'.repeat(36), '%PDF-1');
  expect(first).toEqual([200, expect.any(String)]);
  expect(await post('a'.repeat(36), '%PDF-1')).toEqual(first);
  expect(await sent()).toBe(1);
});

test('both at once have one result', async () => {
  const [first, second] = await Promise.all([post('b'.repeat(36), '%PDF-1'), post('b'.repeat(36), '%PDF-1')]);
  expect(first).toEqual([200, expect.any(String)]);
  expect(second).toEqual(first);
  expect(await sent()).toBe(1);
});

test('with another file than the one that was sent it is refused; a form of its own sends it', async () => {
  await post('c'.repeat(36), '%PDF-1');
  expect(await post('c'.repeat(36), '%PDF-2')).toEqual([409, null]);
  expect(await post('d'.repeat(36), '%PDF-2')).toEqual([200, expect.any(String)]);
  expect(await sent()).toBe(2);
});

test('after a refusal the same form sends another file', async () => {
  expect(await post('e'.repeat(36), '%PDF-1', { media_type: 'image' })).toEqual([400, null]);
  expect(await post('e'.repeat(36), '%PDF-2')).toEqual([200, expect.any(String)]);
});
