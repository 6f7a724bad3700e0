import { channelPath } from '../../../pages/paths.ts';

export const endpointsPath = (channelId: string): string => `${channelPath(channelId)}/endpoints`;

export const endpointPath = (channelId: string, endpointId: string): string =>
  `${endpointsPath(channelId)}/${endpointId}`;
