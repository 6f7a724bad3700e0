/** Questions to upstream besides sends and files. Not awaited: each reports its own answer. */
import type { ChannelPorts, ChannelWork, EffectNamed } from './channel-ports.ts';

export async function askForEchoes(
  { echoes }: ChannelPorts,
  { channel, echoIds, requestId }: EffectNamed<'ask-for-echoes'>,
  work: ChannelWork,
): Promise<void> {
  const answer = await echoes.ask(channel, requestId);
  work.report({ type: 'echoes-answered', echoIds, answer });
}
