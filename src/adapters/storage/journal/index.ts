import type { Write } from '../../../../actors/channel/ports/writes.ts';
import { deliveryEffects } from './deliveries.ts';
import type { Effect, Effects } from './effect.ts';
import { messageEffects } from './messages.ts';

const effects: Effects<Write['write']> = {
  ...messageEffects,
  ...deliveryEffects,
  keepWaiting: ({ unmatched }) => ({ does: 'keep', unmatched }),
  dropWaiting: ({ unmatchedIds }) => ({ does: 'drop', unmatchedIds }),
  addMail: ({ mail }) => ({ does: 'mail', mail }),
};

export function toEffect(write: Write): Effect {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a write's name selects the function for its type
  const effect = effects[write.write] as (write: Write) => Effect;
  return effect(write);
}
