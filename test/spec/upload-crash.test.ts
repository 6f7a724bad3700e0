/** [contract: Additions; faults: 387, I1] kill -9 around an upload: its record outlives the node, and a send that names it is not lost. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { KillableService } from '../support/crash.ts';
import { fileForm } from '../support/file-form.ts';
import { connectAll, ledger, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { until } from '../support/until.ts';

jest.setTimeout(90_000);

let killable: KillableService;
let channels: Channels;
beforeAll(async () => {
  killable = await KillableService.open({ SEND_RESEND_AFTER_MS: '2000' });
  ({ channels } = await connectAll(killable.world));
}, 90_000);
afterAll(() => killable.close());

const image = (size: number) => new File([Buffer.alloc(size)], 'cake.jpg', { type: 'image/jpeg' });

function upload(file = image(100)) {
  const { id, key } = channels.chatapp;
  const body = fileForm({ channel_id: id, media_type: 'image' }, file);
  return killable.process.call('POST', '/api/v1/media', { key, body });
}

function send(mediaId: string, recipient: string) {
  const { id, key } = channels.chatapp;
  const body = { channel_id: id, recipient, media_type: 'image', media_id: mediaId };
  return killable.process.call('POST', '/api/v1/messages/send-media', { key, body });
}

const sentTo = (recipient: string) => ledger(killable.simulator, { recipient });

test('an upload is sent by the process that comes after the one that took it', async () => {
  const { body } = await upload();
  await killable.kill();
  await killable.restart();
  const recipient = newPerson('chatapp');
  expect((await send(body.media_id, recipient)).body.status).toBe('sent');
  expect(await sentTo(recipient)).toHaveLength(1);
});

test('a send that was killed before upstream answered is finished', async () => {
  const { body } = await upload();
  const recipient = newPerson('chatapp');
  await killable.simulator.control('faults', { match: { recipient }, act: 'reset', times: 1 });
  const sending = send(body.media_id, recipient).catch(() => null);
  await until('the first try', async () => {
    const { faults } = await killable.simulator.control('faults');
    return faults.some(
      ({ match, fired }: { match: { recipient?: string }; fired: number }) =>
        match.recipient === recipient && fired === 1,
    );
  });
  await killable.kill();
  await sending;
  await killable.restart();
  await until('the message', async () => (await sentTo(recipient)).length === 1, 60_000);
});

test('an upload that was killed on its way leaves nothing, and can be repeated', async () => {
  const hold = { match: { path: '/media', method: 'POST' }, act: 'hang', times: 1 };
  await killable.simulator.control('faults', hold);
  const uploading = upload(image(3_000_000)).catch(() => null);
  await until('it to reach upstream', async () => {
    const { faults } = await killable.simulator.control('faults');
    return faults.some(
      ({ match, fired }: { match: { path?: string }; fired: number }) =>
        match.path === '/media' && fired === 1,
    );
  });
  await killable.kill();
  expect(await uploading).toBeNull();
  await killable.restart();
  expect((await upload()).status).toBe(201);
});
