/** One attempt to fetch a file: not awaited, it reports its own result. */
import type { ChannelWork, ChannelPorts, Of } from './channel-ports.ts';

export function fetchFile(
  { files }: ChannelPorts,
  { inboundId, part, request }: Of<'fetch-file'>,
  work: ChannelWork,
): void {
  void files.fetch(request).then((outcome) => work.report({ type: 'file-ended', inboundId, part, outcome }));
}
