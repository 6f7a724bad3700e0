import { FencedError } from '../../../kernel/faults.ts';

/** Told to an owner once a higher epoch than its own is stored or minted: another owns the channel. */
export function fenced(channelId: string, epoch: number): FencedError {
  return new FencedError(`channel ${channelId}: epoch ${epoch} is not the highest`);
}
