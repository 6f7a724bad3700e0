import type { Channel } from '../../domain/channels/channel.ts';

/** "Can't authenticate" and "token dead". [upstream §3.5] */
const tokenCodes = new Set([0, 190]);

/** What to do about it. */
export const reconnect = 'reconnect the channel';

export function isTokenRefused(code: number | null): code is number {
  return code !== null && tokenCodes.has(code);
}

/** Told when upstream takes a channel's token no more. Must not throw. */
export type TokenRefused = (refused: { channel: Channel; code: number; isSend: boolean }) => void;
