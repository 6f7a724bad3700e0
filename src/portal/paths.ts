export const channelsPath = '/portal/channels';

export const deliveriesPath = '/portal/deliveries';

/** The page of one delivery. */
export function deliveryPath({ channelId, id }: { channelId: string; id: string }): string {
  return `${channelsPath}/${channelId}/deliveries/${id}`;
}

export const messagesPath = '/portal/messages';

/** The list of all messages between the account and a person. */
export function personPath(person: string): string {
  return `${messagesPath}?person=${encodeURIComponent(person)}`;
}

export const consolePath = '/operators';
export const enterPath = `${consolePath}/enter`;
export const leavePath = `${consolePath}/leave`;
