/** Closed lists of words shared by clients, stores and the event format; every module may import them. */

/** [spec: Conventions] */
export const channelTypes = ['chatapp', 'photoapp', 'pagechat'] as const;
export type ChannelType = (typeof channelTypes)[number];

/** A record with one value per channel type. */
export function byChannelType<T>(of: (type: ChannelType) => T): Record<ChannelType, T> {
  return { chatapp: of('chatapp'), photoapp: of('photoapp'), pagechat: of('pagechat') };
}
