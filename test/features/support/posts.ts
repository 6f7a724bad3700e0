/** Parsed webhook POSTs of upstream. */
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { InboundMessage, ParsedPost, UpstreamFact } from '../../../src/rules/messages/facts.ts';
import { connectedChannel, newTenant } from './service.ts';
import type { Service, Tenant } from './service.ts';

interface Pair {
  tenant: Tenant;
  chatapp: Channel;
  pagechat: Channel;
}

/** An account with channels of two types, whose owners are reachable and have recorded nothing yet. */
export async function connectedPair(service: Service): Promise<Pair> {
  const tenant = await newTenant(service);
  const chatapp = await connectedChannel(service, tenant, 'chatapp');
  const pagechat = await connectedChannel(service, tenant, 'pagechat');
  service.router.asked.length = 0;
  service.router.unreachable.clear();
  service.router.beforeAnswer = async () => undefined;
  return { tenant, chatapp, pagechat };
}

let messages = 0;

/** A text of a person to the channel's identity. */
export function messageTo({
  channelType,
  identity,
}: Pick<Channel, 'channelType' | 'identity'>): InboundMessage {
  messages += 1;
  return {
    kind: 'inbound',
    channelType,
    identity: identity ?? '',
    upstreamId: `wamid.${messages}`,
    from: '4915900000777',
    fromName: null,
    at: 0,
    caption: null,
    parts: [{ type: 'text', text: 'hello' }],
  };
}

export async function receivePost(
  { parser, features }: Service,
  facts: UpstreamFact[],
  others: Partial<ParsedPost> = {},
): Promise<void> {
  parser.post = { facts, malformed: 0, ignored: 0, unparsed: [], notices: [], ...others };
  await features.receiveUpstreamPost(new Uint8Array());
}
