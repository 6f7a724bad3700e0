import type { Channel } from '../rules/channels/channel.ts';
import { isOperatorFault } from '../rules/messages/operator-fault.ts';
import type { ProfileUpstream, SenderProfile } from './profile-calls.ts';
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

const withheldCodes: ReadonlySet<number> = new Set([
  10, // not allowed
  100, // no such person, a field's permission missing, privacy: with and without a subcode
  200, // not allowed
  230, // consent missing
  803, // no such object
  9010, // no such user of a photo account; upstream's review bot is one
]);

/** Permanent, so that a retry would fail again. A refusal of the app itself says nothing of the person. [upstream §7.2] */
function isWithheld(error: GraphError): boolean {
  return error.code !== null && withheldCodes.has(error.code) && !isOperatorFault(error);
}
