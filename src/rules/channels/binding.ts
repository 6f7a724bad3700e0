/** Whether a channel may take the slot of a licence, or leave it, as it stands at the write. [spec: Subscription] */
import type { Channel } from './channel.ts';

/** What whoever binds has seen of the channel. What is given must still be so. */
export type SeenBinding = Partial<Pick<Channel, 'subscriptionId' | 'isActive'>>;

/** `released`: nobody can connect the channel again, so that the slot would be lost on it. `changed`: it is not as it was seen. */
export type BindRefusal = 'released' | 'changed';

export function whyNotBound(
  standing: Pick<Channel, 'identity' | 'subscriptionId' | 'isActive'>,
  subscriptionId: string | null,
  { subscriptionId: boundTo = standing.subscriptionId, isActive = standing.isActive }: SeenBinding,
): BindRefusal | null {
  if (subscriptionId !== null && standing.identity === null) return 'released';
  return boundTo === standing.subscriptionId && isActive === standing.isActive ? null : 'changed';
}
