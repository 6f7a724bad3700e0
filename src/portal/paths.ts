export const channelsPath = '/portal/channels';

export const deliveriesPath = '/portal/deliveries';

/** All that is kept of one. */
export function deliveryPath({ channelId, id }: { channelId: string; id: string }): string {
  return `${channelsPath}/${channelId}/deliveries/${id}`;
}

export const messagesPath = '/portal/messages';

/** Everything that was between the account and a person. */
export function personPath(person: string): string {
  return `${messagesPath}?person=${encodeURIComponent(person)}`;
}
