/** What upstream POSTs, as the parser hands it over. */
import type { Channel } from '../../../src/domain/channels/channel.ts';
import type { InboundMessage, ParsedPost, UpstreamFact } from '../../../src/domain/messages/facts.ts';
import type { Service } from './service.ts';

let messages = 0;

/** A text that somebody wrote to the channel's identity. */
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
  { parser, useCases }: Service,
  facts: UpstreamFact[],
  others: Partial<ParsedPost> = {},
): Promise<void> {
  parser.post = { facts, malformed: 0, ignored: 0, leftOut: [], ...others };
  await useCases.receiveUpstreamPost(new Uint8Array());
}
