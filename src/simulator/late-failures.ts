import type { Fate } from './after-send.ts';
import { GraphError } from './graph-error.ts';
import type { Draft } from './send-draft.ts';
import type { World } from './world.ts';

const dayMs = 86_400_000;

type Failure = NonNullable<Fate['failure']>;

/**
 * Why a chatapp send does not arrive: nobody has the number, or the window is closed. Upstream accepts such a send, and it fails later; by
 * the setting it is refused at once with the same code [upstream protocol 3.1]. Throws GraphError then. Null: it arrives.
 */
export function lateFailure(world: World, draft: Draft): Failure | null {
  if (draft.kind !== 'chatapp') return null;
  const failure = strangerFailure(world, draft) ?? windowFailure(world, draft);
  if (failure !== null && world.settings.chatapp_refusals === 'at_once') throw new GraphError(failure);
  return failure;
}

function strangerFailure(world: World, draft: Draft): Failure | null {
  if (!world.settings.strict_people || world.phonePeople.has(draft.recipient)) return null;
  return { code: 131026, details: 'Message undeliverable.' };
}

function windowFailure(world: World, draft: Draft): Failure | null {
  if (!world.settings.windows || draft.isTemplate) return null;
  const { lastInboundAt } = world.conversation(draft.channel.id, draft.recipient);
  if (world.now() - lastInboundAt <= dayMs) return null;
  return {
    code: 131047,
    details:
      'Message failed to send because more than 24 hours have passed since the customer last replied to this number.',
  };
}
