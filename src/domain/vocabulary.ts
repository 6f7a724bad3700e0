/** The closed lists of words that clients, stores and the wire of events share; everything may import them. */

/** [spec: Conventions] */
export const channelTypes = ['chatapp', 'photoapp', 'pagechat'] as const;
export type ChannelType = (typeof channelTypes)[number];

/** One of something for each channel type. */
export function byChannelType<T>(of: (type: ChannelType) => T): Record<ChannelType, T> {
  return { chatapp: of('chatapp'), photoapp: of('photoapp'), pagechat: of('pagechat') };
}
