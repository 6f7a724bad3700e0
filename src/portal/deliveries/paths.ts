export const deliveriesPath = '/portal/deliveries';

/** All that is kept of one. */
export function deliveryPath({ channelId, id }: { channelId: string; id: string }): string {
  return `/portal/channels/${channelId}/deliveries/${id}`;
}
