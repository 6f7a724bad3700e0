import type { VNode } from 'preact';
import type { Channel } from '../../domain/channels/channel.ts';
import { Whole } from '../components.tsx';
import { channelsPath } from '../paths.ts';
import { writeAddress } from './words.ts';

interface LinkProps {
  id: string;
  /** The channels whose names are known here. */
  channels: ReadonlyMap<string, Channel>;
  /** Text of the link for any other channel. */
  otherwise: string;
}

/** Link to the channel's page, with its name and address. */
export function ChannelLink({ id, channels, otherwise }: LinkProps): VNode {
  const channel = channels.get(id);
  const address = channel === undefined ? '' : writeAddress(channel);
  return (
    <a href={`${channelsPath}/${id}`}>
      <bdi>{channel === undefined ? otherwise : (channel.name ?? channel.channelType)}</bdi>{' '}
      {address === '' ? null : <Whole text={`(${address})`} />}
    </a>
  );
}
