import type { Channel } from '../../domain/channels/channel.ts';
import type { ProfileUpstream, SenderProfile } from '../../use-cases/ports/profiles.ts';
import type { ChannelCalls } from './graph.ts';
import { upstreamKindOf } from './kinds.ts';
import type { GraphError } from './graph-error.ts';
import type { Json } from './read.ts';

/** The longest values are signed URLs of pictures, with a few hundred characters. */
const maxText = 4_096;

/** Reads the person's node with the page's token. [upstream §7.1, §7.2] */
export function makeProfiles({ openGraph, openToken }: ChannelCalls): ProfileUpstream {
  return {
    async readProfile(channel: Channel, userId: string) {
      const fields = upstreamKindOf(channel.channelType).profileFields;
      const attempt = await openGraph(channel).attempt({
        path: `/${encodeURIComponent(userId)}`,
        query: { fields: fields.join(',') },
        token: openToken(channel),
      });
      if (attempt.ok) return pickFields(attempt.answer, fields);
      if (isWithheld(attempt.error)) return null;
      throw attempt.fault;
    },
  };
}

/** Returns only the requested fields: the id may name any node. Null if there are none. */
function pickFields(answer: Json, fields: readonly string[]): SenderProfile | null {
  const picked: [string, string | number | boolean | null][] = [];
  for (const field of fields) {
    const value = answer[field];
    const isShort = typeof value !== 'string' || value.length <= maxText;
    if (isPlain(value) && isShort) picked.push([field, value]);
  }
  return picked.length === 0 ? null : Object.fromEntries(picked);
}

function isPlain(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

const withheldSubcodes = new Set([
  2018218, // no profile available
  2018247, // a field's permission is missing
  2018001, // no matching user
  2534014, // no matching user of a photo account
  33, // unknown, or another page's user
]);
const consentMissing = 230;
const noSuchObject = 803;

/** Permanent, so that a retry would fail again. Some answers for a missing consent have code 100. [upstream §7.2] */
function isWithheld({ code, subcode, message }: GraphError): boolean {
  if (code === consentMissing || code === noSuchObject) return true;
  if (code !== 100) return false;
  return (subcode !== null && withheldSubcodes.has(subcode)) || /\bconsent\b/i.test(message);
}
