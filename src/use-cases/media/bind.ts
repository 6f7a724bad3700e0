import type { UseCaseDeps } from '../deps.ts';
import { openMedia } from './open.ts';
import type { MediaUseCases } from './use-cases.ts';

export function bindMedia(deps: UseCaseDeps): MediaUseCases {
  return { openMedia: (caller, mediaId) => openMedia(deps, caller, mediaId) };
}
