import { classifyUpstreamError } from '../rules/messages/error-codes.ts';
import { asError } from '../kernel/faults.ts';
import type { ChannelCalls, Graph } from './graph.ts';
import { isTokenRefused } from './credentials.ts';
import { asText } from './read.ts';
import type { Json } from './read.ts';
import type { FileLocation, FileLocator } from '../rules/messages/file-location.ts';

/**
 * A file with an id is located by its node: the answer holds a URL that is valid for 5 minutes and needs the token. A file with a URL needs
 * neither. [upstream §5.1, §5.3]
 */
export function makeFileLocator({ openGraph, openToken, log }: ChannelCalls): FileLocator {
  return {
    async locate(channel, { mediaId, url }, requestId) {
      if (mediaId === null)
        return url === null
          ? { found: false, mayPass: false }
          : { found: true, url, authorization: null, sha256: null, fileSize: null, mimeType: null };
      try {
        return await askNode(openGraph(channel, requestId), openToken(channel), mediaId);
      } catch (thrown) {
        // No answer, or a token that does not open: both may pass.
        const why = asError(thrown).message;
        log.info({ channel: channel.id, request_id: requestId, why }, 'media.not-located');
        return { found: false, mayPass: true };
      }
    },
  };
}

async function askNode(graph: Graph, token: string, mediaId: string): Promise<FileLocation> {
  const attempt = await graph.attempt({ path: `/${encodeURIComponent(mediaId)}`, token });
  if (!attempt.ok) {
    const { code, subcode, message } = attempt.error;
    const { kind } = classifyUpstreamError({ code, subcode, message, httpStatus: 0 });
    const mayPass = kind === 'transient' || kind === 'operator';
    return { found: false, mayPass, isTokenRefused: kind !== 'operator' && isTokenRefused(code) };
  }
  const url = asText(attempt.answer['url']);
  if (url === null) return { found: false, mayPass: true };
  return {
    found: true,
    url,
    authorization: `Bearer ${token}`,
    sha256: asText(attempt.answer['sha256']),
    fileSize: sizeIn(attempt.answer),
    mimeType: asText(attempt.answer['mime_type']),
  };
}

/** Upstream writes the size as a number or as text. [upstream §5.1] */
function sizeIn(answer: Json): number | null {
  const size = Number(answer['file_size'] ?? NaN);
  return Number.isSafeInteger(size) && size >= 0 ? size : null;
}
