/** [portal: Channel] A channel's page: its overview, and the routes of all its tabs. */
import { signedInPage } from '../route.ts';
import type { FeaturePages, SignedInContext } from '../route.ts';
import { channelPath, channelsPath } from '../../pages/paths.ts';
import { channelAt } from '../channels/index.ts';
import { channelListPage } from './channels.tsx';
import { connectPages } from './connect.tsx';
import { connectionPages } from './connection.tsx';
import { secretPages } from './secret.tsx';
import { sendPages } from './send.tsx';
import { summary } from './summary.tsx';
import { answerTab } from './tabs.tsx';
import { webhookPages } from './webhook.tsx';

async function showOverview(context: SignedInContext): Promise<void> {
  const found = await channelAt(context);
  answerTab(context, { channel: found.channel, tab: null, children: await summary(context, found) });
}

/** [spec: Channels; Sending messages] */
export const channelPages: FeaturePages = {
  routes: [
    channelListPage,
    ...connectPages,
    signedInPage({ get: channelPath('{channel_id}'), name: 'channelPage', open: showOverview }),
    ...webhookPages,
    ...sendPages,
    ...secretPages,
    ...connectionPages,
  ],
  place: { path: channelsPath, name: 'Channels', icon: 'plug', group: 'Build' },
};
