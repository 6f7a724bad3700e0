/** The end of a channel's page: connecting it again, and removing it. [portal: Channels] */
import type { VNode } from 'preact';
import type { Channel } from '../../domain/channels/channel.ts';
import { Form } from '../forms/form.tsx';
import { channelsPath } from '../paths.ts';

/** An active one too: its access may be refused, or want a permission. It needs no free slot. */
export function Connection({ csrf, channel }: { csrf: string; channel: Channel }): VNode {
  const { id, identity, channelType, isActive } = channel;
  return (
    <section aria-labelledby="connection">
      <h2 id="connection">Connect it again</h2>
      <p>
        {isActive ? 'When the platform refuses its access, or a permission is missing. ' : ''}
        It keeps its id and settings: choose the same account or number at the platform.
      </p>
      <Form action={`${channelsPath}/connect`} csrf={csrf}>
        <input type="hidden" name="channel_type" value={channelType} />
        {/* What was released to others is connected as a new channel. */}
        {identity === null ? null : <input type="hidden" name="channel_id" value={id} />}
        <button class={isActive ? 'quiet' : undefined}>Connect it again</button>
      </Form>
    </section>
  );
}

export function Removal({ channelId }: { channelId: string }): VNode {
  return (
    <section aria-labelledby="remove">
      <h2 id="remove">Remove</h2>
      <p>
        Sending and receiving stop at once. Its id, its history and its place on the licence stay, and no
        other account can take it.
      </p>
      <a class="button danger" href={`${channelsPath}/${channelId}/remove`}>
        Remove this channel
      </a>
    </section>
  );
}
