import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendAnswer, sendMessageRequest } from '../../src/features/messages/schemas.ts';
import { sendJson } from '../../src/http/answers.ts';
import { apiBodyLimit, readBody, requireJson } from '../../src/http/middleware/read-body.ts';
import { readRequestId } from '../../src/http/middleware/request-headers.ts';
import { parseJson } from '../../src/http/validation/parse-json.ts';
import { makeAjv } from '../../src/http/validation/rules.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { fault } from '../../src/kernel/faults.ts';
import { hashSecret, newId } from '../../src/kernel/ids.ts';
import type { Log } from '../../src/kernel/log.ts';
import { noNetworks } from '../../src/rules/address.ts';
import type { Channel } from '../../src/rules/channels/channel.ts';
import { kindOf } from '../../src/rules/channels/kinds.ts';
import { checkTextLength } from '../../src/rules/messages/text.ts';
import { makeChannelCredentials } from '../../src/upstream/credentials.ts';
import { makeSend } from '../../src/upstream/send.ts';
import { makeTransport } from '../../src/upstream/transport.ts';
import { channelOf } from './floor-world.ts';
import type { FloorChannel, FloorWorld } from './floor-world.ts';
import { claimOf } from './floor-send.ts';
import { setting } from './serve.ts';

export type ContractChannel = Channel & FloorChannel;
export type ContractWorld = FloorWorld<ContractChannel>;

/** A part of the baseline with what it opens. */
export interface ContractPart {
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  close(): Promise<void>;
}

const parse = sendMessageRequest.compile(
  makeAjv({ allowInsecure: true, allowedNetworks: noNetworks, ownUrls: [], ownHosts: [] }),
);

/** A send with the same writes as the floor's. [spec: Sending messages] */
export function makeContractSend(world: ContractWorld, log: Log): ContractPart {
  const { store, apiKeyHash, appSecret, sealer } = world;
  const transport = makeTransport(setting('UPSTREAM_URL'), systemClock);
  const upstream = makeSend({
    transport,
    credentials: makeChannelCredentials(appSecret, sealer),
    appSecret,
    version: 'v25.0',
    userAgent: 'Trunkline/1',
    tokenRefused: undefined,
    accessRefused: undefined,
    registrationRefused: undefined,
    log,
  });
  return {
    async answer(request, response) {
      if (hashSecret(String(request.headers['x-api-key'])) !== apiKeyHash) throw fault('unauthorized');
      requireJson(request);
      const requestId = readRequestId(request);
      const body = parse(parseJson(await readBody(request, apiBodyLimit)));
      const channel = channelOf(world, body.channel_id);
      const kind = kindOf(channel.channelType);
      const recipient = kind.checkRecipient(body.recipient, channel);
      const content = { type: 'text', text: checkTextLength(body.text, kind) } as const;
      const messageId = newId();
      const message = claimOf(world, channel, messageId, recipient, content.text);
      await store.commit(channel.id, channel.epoch, [{ write: 'insertMessage', message }]);
      const sent = await upstream.send({ channel, messageId, recipient, content, requestId, timeoutMs });
      if (sent.outcome !== 'accepted') throw new Error(sent.error);
      const { upstreamId } = sent;
      const { rankOnAccept: rank, type: channelType } = kind;
      await store.commit(channel.id, channel.epoch, [
        { write: 'recordAccepted', messageId, upstreamId, rank, at: Date.now(), channelType },
      ]);
      sendJson(response, 200, sendAnswer({ messageId, status: 'sent' }));
    },
    close: () => transport.close(),
  };
}

const timeoutMs = 10_000;
