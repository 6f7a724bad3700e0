/** What the tabs of a channel's page have in common: its name, the tabs, and where its forms may lead. */
import type { ComponentChildren, VNode } from 'preact';
import type { SignedInContext } from '../route.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { mayAs } from '../../rules/person.ts';
import { Done, Tabs } from '../../pages/components.tsx';
import { channelPath, channelsPath, channelTabPath } from '../../pages/paths.ts';
import type { ChannelTab } from '../../pages/paths.ts';
import { answerShell } from '../../pages/shell.tsx';
import { connectTargets } from './channels.tsx';

interface ChannelPage {
  channel: Channel;
  /** null: the overview. */
  tab: ChannelTab | null;
  status?: number;
  children: ComponentChildren;
}

/** Answers with a tab of the channel's page; each has an address of its own. */
export function answerTab(context: SignedInContext, page: ChannelPage): void {
  const { channel, tab, status = 200, children } = page;
  answerShell(context, {
    title: channel.name ?? 'Channel',
    heading: channel.name ?? 'Without a name',
    back: <a href={channelsPath}>All channels</a>,
    at: channelsPath,
    status,
    formTargets: connectTargets(context),
    children: (
      <>
        <Done words={doneWords(channel)} query={context.query} />
        <ChannelTabs context={context} channel={channel} tab={tab} />
        {children}
      </>
    ),
  });
}

/** A channel that already has a webhook was connected before. */
const doneWords = ({ webhookUrl }: Channel): Readonly<Record<string, string>> => ({
  connected:
    webhookUrl === null
      ? 'Connected. Set a webhook next, so that inbound messages reach you.'
      : 'Connected. Its id, webhook and settings are unchanged.',
  saved: 'Saved.',
});

const names: Record<ChannelTab, string> = {
  webhook: 'Webhook',
  send: 'Send a message',
  connection: 'Connection',
};

/** People see the tabs of what their role may do, and everybody the settings. */
function ChannelTabs({
  context,
  channel,
  tab,
}: Omit<ChannelPage, 'children'> & { context: SignedInContext }): VNode {
  const pathOf = (each: ChannelTab | null): string =>
    each === null ? channelPath(channel.id) : channelTabPath(channel.id, each);
  const offered: ChannelTab[] = mayAs(context.visitor.role, 'developer')
    ? ['webhook', ...(channel.isActive ? (['send'] as const) : []), 'connection']
    : ['webhook'];
  const tabs = [
    { path: pathOf(null), name: 'Overview' },
    ...offered.map((each) => ({ path: pathOf(each), name: names[each] })),
  ];
  return <Tabs label="Channel" tabs={tabs} at={pathOf(tab)} />;
}
