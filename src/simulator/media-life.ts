import type { Media } from './model.ts';
import type { World } from './world.ts';

const dayMs = 86_400_000;
const receivedDays = 7;
const uploadedDays = 30;

/** Whether the id has ended: seven days after the message that brought it, thirty after an upload [upstream protocol 5.1]. */
export function isOver(world: World, media: Media): boolean {
  const days = media.isUpload ? uploadedDays : receivedDays;
  return world.settings.media_life && world.now() - media.createdAt > days * dayMs;
}
