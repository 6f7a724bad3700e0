/** What changed in a channel's health by one write, as the account is told. [spec: Additions, What changed] */
import { idFrom } from '../../kernel/ids.ts';
import type { Change } from '../events/changes.ts';
import { describeRefusedToken } from './health.ts';
import type { ChannelHealth } from './health.ts';
import { beingRegistered } from './registration.ts';
import type { UpstreamProblem, UpstreamProblemCode } from './upstream-problems.ts';

/** What of a channel may change. */
export const channelParts = [
  'token',
  'access',
  'account',
  'registration',
  'quality',
  'sending',
  'receiving',
] as const;

/** What each problem at upstream is about; null: nothing that a receiver acts on. */
const concerns: Readonly<Record<UpstreamProblemCode, (typeof channelParts)[number] | null>> = {
  access_removed: 'access',
  account_disabled: 'account',
  app_webhooks_missing: 'receiving',
  app_webhooks_elsewhere: 'receiving',
  webhook_elsewhere: 'receiving',
  registration_pending: 'registration',
  sends_paused: 'sending',
  sends_blocked: 'sending',
  account_restricted: 'account',
  policy_enforcement: 'account',
  messages_without_content: 'receiving',
  token_ending: 'token',
  test_push_received: null,
};

const fine = 'ok';

type Said = Pick<Change, 'changed' | 'before' | 'after' | 'reason'>;
type Seen = Pick<ChannelHealth, 'channelId' | 'token' | 'qualityRating' | 'problems'>;

/** `version` of the record after the write; `at` in ms. */
export function channelChanges(before: Seen, after: Seen, version: number, at: number): Change[] {
  const said = [
    ...tokenChange(before, after),
    ...qualityChange(before, after),
    ...problemChanges(before, after),
  ];
  return said.map((change) => {
    const { changed, before: was, after: is } = change;
    const parts = [String(version), changed, String(was), String(is), String(at)];
    return { id: idFrom('change', after.channelId, ...parts), at, ...change };
  });
}

function tokenChange({ token: was }: Seen, { token: is }: Seen): Said[] {
  if (is === 'refused' && was !== 'refused')
    return [{ changed: 'token', before: fine, after: 'token_refused', reason: describeRefusedToken }];
  if (is === 'valid' && was === 'refused')
    return [{ changed: 'token', before: 'token_refused', after: fine, reason: null }];
  return [];
}

/** Upstream's words; what was not known before is no change. */
function qualityChange({ qualityRating: was }: Seen, { qualityRating: is }: Seen): Said[] {
  if (was === null || is === null || was === is) return [];
  return [{ changed: 'quality', before: was, after: is, reason: null }];
}

function problemChanges({ problems: were }: Seen, { problems: are }: Seen): Said[] {
  return [
    ...lacking(are, were).flatMap(({ code, detail }) =>
      toSaid(code, { before: fine, after: code, reason: detail }),
    ),
    ...lacking(were, are).flatMap(({ code }) => toSaid(code, { before: code, after: fine, reason: null })),
  ];
}

function lacking(some: Seen['problems'], others: Seen['problems']): UpstreamProblem[] {
  const there = (others ?? []).filter(isTold);
  return (some ?? []).filter((each) => isTold(each) && !there.some(({ code }) => code === each.code));
}

/** A number is on record as being registered before upstream is asked, and usually registered a moment later. */
function isTold({ code, detail }: UpstreamProblem): boolean {
  return code !== 'registration_pending' || detail !== beingRegistered;
}

/** A newer build's code, met by this one, is left out. */
function toSaid(code: UpstreamProblemCode, said: Omit<Said, 'changed'>): Said[] {
  const changed = concerns[code] ?? null;
  return changed === null ? [] : [{ changed, ...said }];
}
