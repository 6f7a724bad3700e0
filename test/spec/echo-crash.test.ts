/** [spec: message.echo; faults: I1, 5] kill -9 while an echo is held back for the answer of a send that it may belong to. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { KillableService } from '../support/crash.ts';
import { heldBackEcho } from '../support/echoes.ts';
import { newAccount } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

jest.setTimeout(90_000);

let killable: KillableService;
let photoapp: Channel;
beforeAll(async () => {
  killable = await KillableService.open();
  const account = await newAccount(killable.world.service);
  photoapp = await killable.world.connect(account, 'photoapp', { events: ['message.echo'] });
}, 90_000);
afterAll(() => killable.close());

test('an echo that was held back at the crash makes its event after the restart, although nothing else happens on the channel', async () => {
  const to = await heldBackEcho(killable.world, photoapp);
  await killable.kill();
  expect(killable.inbox.arrivals).toEqual([]);
  await killable.restart();
  const [arrival] = await killable.inbox.next(1, ({ event }) => event.event === 'message.echo', 30_000);
  expect(arrival?.event.data).toMatchObject({ recipient: to, text: 'We open at nine.' });
});
