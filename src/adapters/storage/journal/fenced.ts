import { FencedError } from '../../../kernel/faults.ts';

/** The error for an owner below the highest stored or minted epoch: another node owns the channel. */
export function fenced(channelId: string, epoch: number): FencedError {
  return new FencedError(`channel ${channelId}: epoch ${epoch} is not the highest`);
}
