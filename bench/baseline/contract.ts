/**
 * `contract`: the floor's writes, and what the specification asks of each request besides, by the product's own modules: the checks of key,
 * body, recipient and text, upstream's signature and body, events, calls of upstream and of receivers with their limits and signatures, the
 * line and the log of an attempt, the headers of answers. No actors, no ownership, no routing, no features. What the service costs above
 * `contract` is those. [performance §3]
 */
import http from 'node:http';
import { makeLog } from '../../src/kernel/log.ts';
import { sealContext } from '../../src/kernel/sealed.ts';
import { answerFailure } from '../../src/http/middleware/error-funnel.ts';
import { channelOf } from '../../test/rules/samples.ts';
import { chatappProfile } from '../../test/support/profiles.ts';
import { ContractPosts } from './contract-posts.ts';
import { makeContractSend } from './contract-send.ts';
import type { ContractChannel } from './contract-send.ts';
import { openFloorWorld } from './floor-world.ts';
import { listenAndTell, setting } from './serve.ts';

const log = makeLog('info');
const world = await openFloorWorld<ContractChannel>((own, phone, { accountId, sealer, webhookSecret }) => ({
  ...channelOf('chatapp', {
    accountId,
    identity: phone,
    profile: chatappProfile({ phoneNumberId: phone }),
    token: sealer.sealText('EAAexample', sealContext.token(own.id)),
    webhookUrl: setting('RECEIVER_URL'),
    webhookSecret: sealer.sealText(webhookSecret, sealContext.webhookSecret(own.id)),
  }),
  ...own,
}));
const send = makeContractSend(world, log);
const posts = new ContractPosts(world, log);

const server = http.createServer((request, response) => {
  const answered = request.url === '/send' ? send.answer(request, response) : posts.answer(request, response);
  answered.catch((error: unknown) => answerFailure(request, response, error, log));
});
listenAndTell(server, async () => {
  await Promise.all([send.close(), posts.close()]);
  await world.close();
});
