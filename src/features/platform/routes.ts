/** The admin API of the app registered upstream. [operator-interface §1: check-upstream] */
import { checkUpstream } from './check-upstream.ts';
import type { CheckedLine, CheckedUpstream } from './check-upstream.ts';
import { adminRoute } from '../route.ts';
import { count, flag, listOf, ourId, string } from '../../http/validation/json-schema.ts';
import { readId } from '../../http/validation/query.ts';
import { inQuery } from '../../http/parameters.ts';
import { noBody } from '../../http/validation/request-body.ts';
import { answer } from '../../http/validation/response-body.ts';

const line = answer<CheckedLine>('CheckedLine', {
  about: [{ ...string, description: 'What was looked at' }, 'about'],
  ok: [flag, 'isOk'],
  says: [{ ...string, description: 'What is right, or what is wrong and what to do' }, 'says'],
});

const checked = answer<CheckedUpstream>('CheckedUpstream', {
  ok: [{ ...flag, description: 'Whether every line is' }, 'isOk'],
  channels_looked_at: [count, 'channelsLookedAt'],
  has_more: [{ ...flag, description: 'There are channels that were not looked at' }, 'hasMore'],
  checks: [
    { ...listOf(line.schema), description: 'In the order in which to mend them' },
    ({ lines }) => lines.map(line.of),
  ],
});

export const upstreamRoutes = [
  adminRoute({
    get: '/admin/v1/upstream',
    name: 'checkUpstream',
    tag: 'Operators: nodes and channels',
    summary: 'Compares the app registered upstream, and up to 50 channels, with what the service needs',
    description: 'Asks upstream, which takes up to half a minute. No secret is in the answer.',
    body: noBody,
    success: { status: 200, schema: checked.schema },
    errors: [400, 404],
    parameters: [inQuery('channel_id', ourId, 'Only this channel, with the permissions of its token')],
    answer: async ({ query }, { world }) =>
      checked.of(await checkUpstream(world, readId(query, 'channel_id'))),
  }),
];
