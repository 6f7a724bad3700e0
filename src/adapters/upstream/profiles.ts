import type { Channel } from '../../domain/channels/channel.ts';
import type { Log } from '../../kernel/log.ts';
import type { ProfileUpstream, SenderProfile } from '../../use-cases/ports/profiles.ts';
import type { ChannelCredentials } from './credentials.ts';
import { openToken } from './credentials.ts';
import type { Graph } from './graph.ts';
import { upstreamKindOf } from './kinds.ts';
import type { GraphError } from './wire/error.ts';
import type { Json } from './wire/read.ts';

/** Signed links of pictures are the longest and have a few hundred characters. */
const maxText = 4_096;

interface ProfileWorld {
  openGraph: (channel: Channel) => Graph;
  credentials: ChannelCredentials;
  log: Log;
}

/** The person's node, read with the token of the page. [upstream §7.1, §7.2] */
export function makeProfiles({ openGraph, credentials, log }: ProfileWorld): ProfileUpstream {
  return {
    async readProfile(channel: Channel, userId: string) {
      const fields = upstreamKindOf(channel.channelType).profileFields;
      const attempt = await openGraph(channel).attempt({
        path: `/${encodeURIComponent(userId)}`,
        query: { fields: fields.join(',') },
        token: openToken(credentials, channel, log),
      });
      if (attempt.ok) return shown(attempt.answer, fields);
      if (isWithheld(attempt.error)) return null;
      throw attempt.fault;
    },
  };
}

/** What was asked for and is there, and nothing else: the id that was asked with may be any node's. `{}` is no profile. */
function shown(answer: Json, fields: readonly string[]): SenderProfile | null {
  const found: [string, string | number | boolean | null][] = [];
  for (const field of fields) {
    const value = answer[field];
    const isShort = typeof value !== 'string' || value.length <= maxText;
    if (isPlain(value) && isShort) found.push([field, value]);
  }
  return found.length === 0 ? null : Object.fromEntries(found);
}

function isPlain(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

const withheldSubcodes = new Set([
  2018218, // no profile available
  2018247, // permission for a field missing
  2018001, // no matching user
  2534014, // no matching user of a photo account
  33, // unknown, or another page's
]);
const consentMissing = 230;
const noSuchObject = 803;

/** Nothing to wait for: asking again would say the same. Some answer a missing consent with 100. [upstream §7.2] */
function isWithheld({ code, subcode, message }: GraphError): boolean {
  if (code === consentMissing || code === noSuchObject) return true;
  if (code !== 100) return false;
  return (subcode !== null && withheldSubcodes.has(subcode)) || /\bconsent\b/i.test(message);
}
