import type { VNode } from 'preact';
import { Copyable } from '../../../pages/components.tsx';

/** Of an endpoint that was added, or whose secret was replaced. */
export function NewSecret({ secret }: { secret: string }): VNode {
  return (
    <p class="note" role="status" tabindex={-1} autofocus>
      Its deliveries are signed with this secret. It is shown this once:{' '}
      <Copyable text={secret} label="the secret" />
    </p>
  );
}
