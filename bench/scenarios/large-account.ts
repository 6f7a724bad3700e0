/** A service whose store has an account with many channels and the messages of a week, and many other accounts. */
import { call } from '../../test/support/api.ts';
import { setupCode } from '../../test/support/world.ts';
import { until } from '../../test/support/until.ts';
import { inboundPost, signed, statusPost } from '../load/upstream-posts.ts';
import { cloneChannels, openDatabase, phones } from '../world/channels.ts';
import { insertTraffic } from '../world/large-account.ts';
import { insertOthers } from '../world/large-others.ts';
import { Person } from '../world/person.ts';
import type { Program } from '../world/programs.ts';
import { admin, asService, startService, takeTags } from '../world/testbed.ts';
import type { Testbed } from '../world/testbed.ts';

export const owner = 'owner@large.example';

export interface LargeAccount {
  accountId: string;
  key: string;
  /** Ids; a tenth of the messages is of the first. */
  channels: string[];
}

interface Size {
  channels: number;
  messages: number;
}

/** The service does not run when this resolves. */
export async function makeLargeAccount(testbed: Testbed, dataDir: string, size: Size): Promise<LargeAccount> {
  const program = await startService(testbed, { dataDir });
  const made = await makeSamples(testbed, program, dataDir);
  await program.stop();
  const clones = await cloneChannels(dataDir, made, size.channels - 1);
  const channels = [made.id, ...clones.map(({ id }) => id)];
  const now = Date.now();
  await insertOthers(dataDir, made.accountId, now);
  await insertTraffic(dataDir, { channels, messages: size.messages, until: now });
  return { accountId: made.accountId, key: made.key, channels };
}

/** One channel with one message that was sent and delivered, and one that was received. */
async function makeSamples(testbed: Testbed, program: Program, dataDir: string) {
  await new Person(program.url).signUp(owner);
  const found = await admin(program.url, 'GET', `/accounts?email=${owner}`);
  const accountId: string = found.body.accounts[0].account_id;
  const { api_key: key } = (await admin(program.url, 'POST', `/accounts/${accountId}/keys`)).body;
  const service = asService(program);
  const code = await setupCode(service, testbed.simulator, key, 'chatapp', phones.sender);
  const webhook = {
    webhook_url: testbed.receiver.url,
    webhook_events: ['message.received', 'message.delivered'],
  };
  const path = '/api/v1/channels/exchange-code';
  const { body: channel } = await service.call('POST', path, { key, body: { code, ...webhook } });
  const id: string = channel.channel_id;
  const text = { channel_id: id, recipient: '4915900000777', text: 'Your order is ready.' };
  await takeTags(testbed, [phones.sender]);
  const sent = await service.call('POST', '/api/v1/messages/send', { key, body: text });
  if (sent.status !== 200) throw new Error(`the send was answered ${sent.status}: ${sent.text}`);
  const [tag] = await takeTags(testbed, [phones.sender]);
  for (const body of [
    statusPost(phones.sender, tag?.tag ?? '', 'delivered'),
    inboundPost(phones.sender, 'in.0', 'Thank you!'),
  ])
    await call('POST', `${program.url}/upstream/webhooks`, { raw: body, headers: signed(body) });
  await untilDelivered(dataDir, 2);
  return { id, key, phone: phones.sender, accountId };
}

async function untilDelivered(dataDir: string, count: number): Promise<void> {
  const db = await openDatabase(dataDir);
  const delivered = db.prepare<{ all: number }>(
    `select count(*) as "all" from deliveries where state = 'delivered'`,
  );
  await until('both events to be delivered', () => delivered.get()?.all === count);
  db.close();
}
