import { fault } from '../kernel/faults.ts';
import { toCallFault } from './call-refusal.ts';
import type { ChannelCalls } from './graph.ts';
import { upstreamKindOf } from './kinds.ts';
import { asId } from './read.ts';
import { writeForm } from './streamed-form.ts';
import type { FileToUpload, UploadUpstream } from './upload-calls.ts';

/** Files go to the node that sends. [upstream §5.2] */
export function makeUploads({ openGraph, openToken }: ChannelCalls): UploadUpstream {
  return {
    async upload(channel, given) {
      const kind = upstreamKindOf(channel.channelType);
      const { edge, fields, fileField, idMember, named } = kind.upload;
      const sender = kind.send.sender(channel);
      if (sender === null)
        throw fault('upstream_failed', { why: 'the channel has no usable connection; connect it again' });
      const token = openToken(channel);
      const { filename, mimeType } = named(given);
      const { file, failure } = watched({ ...given, mimeType });
      const attempted = await openGraph(channel)
        .attempt({
          method: 'POST',
          path: `/${encodeURIComponent(sender)}/${edge}`,
          form: writeForm({ fields: fields(file), fileField, filename, file }),
          token,
        })
        .catch((thrown: unknown) => {
          throw failure() ?? thrown;
        });
      if (!attempted.ok) throw toCallFault(attempted, [token]);
      const id = asId(attempted.answer[idMember]);
      if (id === null) throw fault('upstream_failed', { why: 'it gave the file no id' });
      return id;
    },
  };
}

/** The same file, and why reading it failed: to the connection every failure is the same. */
function watched(file: FileToUpload): { file: FileToUpload; failure: () => unknown } {
  let failure: unknown;
  async function* content(): AsyncGenerator<Uint8Array> {
    try {
      yield* file.content;
    } catch (thrown) {
      failure = thrown;
      throw thrown;
    }
  }
  return { file: { ...file, content: content() }, failure: () => failure };
}
