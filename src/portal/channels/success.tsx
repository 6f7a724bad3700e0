import type { VNode } from 'preact';
import type { Channel } from '../../domain/channels/channel.ts';
import { trying } from '../forms/problems.ts';
import { percentWords } from '../home/words.ts';
import { Fact } from '../components.tsx';
import type { SignedInContext } from '../session/pages.ts';

/** Enough to tell a bad day from a bad minute, in one read. */
const newest = { limit: 100, cursor: null, isBack: false };

/** [portal: Channel] Share of finished deliveries that the receiver accepted. null: there is no webhook, or the log can't be read now. */
export async function webhookSuccess(context: SignedInContext, channel: Channel): Promise<VNode | null> {
  if (channel.webhookUrl === null) return null;
  const asked = { channelId: channel.id, event: null, state: null, since: null, until: null };
  const tried = await trying(() => context.useCases.listAccountDeliveries(context.caller, asked, newest));
  if ('problems' in tried) return null;
  const ended = tried.done.items.filter(({ state }) => state !== 'pending');
  const taken = ended.filter(({ state }) => state === 'delivered').length;
  return (
    <Fact name="Webhook">
      {ended.length === 0 ? (
        <span class="dim">no event has ended yet</span>
      ) : (
        `${percentWords(taken / ended.length)} taken, of its newest ${ended.length} that ended`
      )}
    </Fact>
  );
}
