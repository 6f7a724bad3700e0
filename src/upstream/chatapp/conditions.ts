/** What stands in the way of a number, as its node shows: what blocks its sends, and who gets its events. [upstream §2.4] */
import type { Channel } from '../../rules/channels/channel.ts';
import { profileAs } from '../../rules/channels/profile.ts';
import type { NewProblem, UpstreamProblemCode } from '../../rules/channels/upstream-problems.ts';
import { Fault } from '../../kernel/faults.ts';
import type { Graph } from '../graph.ts';
import type { Conditions } from '../kind.ts';
import { asList, asName, asRecord, asText, recordsIn } from '../read.ts';
import type { Json } from '../read.ts';

const fields = 'health_status,webhook_configuration';

/** A call of its own: a version of upstream that refuses one of these fields must not break the probe. */
export async function readConditions(
  graph: Graph,
  { profile }: Channel,
  token: string,
  callbackUrl: string,
): Promise<Conditions> {
  const number = profileAs(profile, 'chatapp');
  const shown = number === null ? null : await ask(graph, number.phoneNumberId, token);
  if (shown === null) return { problems: [], lookedFor: [] };
  const [health, callbacks] = [asRecord(shown['health_status']), asRecord(shown['webhook_configuration'])];
  return {
    problems: [...blocks(health), ...elsewhere(callbacks, callbackUrl)],
    lookedFor: [
      ...endedBy(asText(health?.['can_send_message'])),
      ...(callbacks === null ? [] : (['webhook_elsewhere'] as const)),
    ],
  };
}

async function ask(graph: Graph, phoneNumberId: string, token: string): Promise<Json | null> {
  try {
    const path = `/${encodeURIComponent(phoneNumberId)}`;
    const found = await graph.attempt({ path, query: { fields }, token });
    return found.ok ? found.answer : null;
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return null;
  }
}

/** A pause and the account's problems end when upstream calls the number able; what it merely limits may last. */
function endedBy(word: string | null): UpstreamProblemCode[] {
  if (word === null) return [];
  return word === 'AVAILABLE'
    ? ['sends_blocked', 'account_disabled', 'account_restricted', 'sends_paused']
    : ['sends_blocked'];
}

const maxReasons = 3;

function blocks(health: Json | null): NewProblem[] {
  if (health === null || asText(health['can_send_message']) !== 'BLOCKED') return [];
  const reasons = recordsIn(health['entities'])
    .filter((entity) => asText(entity['can_send_message']) === 'BLOCKED')
    .flatMap((entity) => asList(entity['errors']).flatMap(reasonIn));
  const why = [...new Set(reasons)].slice(0, maxReasons).join(' ');
  return [
    why === ''
      ? { code: 'sends_blocked' }
      : {
          code: 'sends_blocked',
          detail: `Upstream blocks sending through the channel: ${why}`.replace(/\.$/, ''),
        },
  ];
}

/** Upstream's words and its possible solution. */
function reasonIn(item: unknown): string[] {
  const error = asRecord(item);
  const words = [asName(error?.['error_description']), asName(error?.['possible_solution'])];
  const said = words.filter((each) => each !== null && each !== '');
  return said.length === 0 ? [] : [said.join(' ')];
}

/** An override of the number comes before one of its account; the app's own callback is not of this channel alone. */
function elsewhere(callbacks: Json | null, callbackUrl: string): NewProblem[] {
  const override = asText(callbacks?.['phone_number']) ?? asText(callbacks?.['whatsapp_business_account']);
  if (override === null || override === '' || override === callbackUrl) return [];
  const host = URL.canParse(override) ? new URL(override).host : 'an unreadable address';
  return [
    {
      code: 'webhook_elsewhere',
      detail: `Upstream sends the channel's events to another address (${host}), which somebody set for the number or its account; remove that override there`,
    },
  ];
}
