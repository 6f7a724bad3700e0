/** A channel's further endpoints on the tab of its webhook: which there are, and the way to their page. */
import { endpointsPath } from '../../../pages/paths.ts';
import type { VNode } from 'preact';
import type { Channel } from '../../../rules/channels/channel.ts';
import { addressShown } from '../../../rules/webhooks/transcript.ts';
import type { SignedInContext } from '../../route.ts';
import { listEndpoints } from '../service.ts';

export async function endpointsOf(context: SignedInContext, channel: Channel): Promise<VNode> {
  const endpoints = await listEndpoints(context.world, context.caller, channel.id);
  const disabled = endpoints.filter(({ disabledAt }) => disabledAt !== null).length;
  return (
    <section aria-labelledby="endpoints">
      <h2 id="endpoints">Further endpoints</h2>
      {endpoints.length === 0 ? (
        <p>None: events go to the address above alone.</p>
      ) : (
        <ul>
          {endpoints.map(({ url, disabledAt }) => (
            <li>
              <code>{addressShown(url)}</code>
              {disabledAt === null ? '' : ' (disabled)'}
            </li>
          ))}
        </ul>
      )}
      <p>
        <a href={endpointsPath(channel.id)}>
          {disabled === 0 ? 'Add or change endpoints' : 'Enable, add or change endpoints'}
        </a>
      </p>
    </section>
  );
}
