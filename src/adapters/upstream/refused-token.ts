import type { Channel } from '../../domain/channels/channel.ts';

/** Authentication failed, and token expired or revoked. [upstream §3.5] */
const tokenCodes = new Set([0, 190]);

/** Advice for the client, part of the error text. */
export const reconnect = 'reconnect the channel';

export function isTokenRefused(code: number | null): code is number {
  return code !== null && tokenCodes.has(code);
}

/** Called when upstream refuses a channel's token. Must not throw. */
export type TokenRefused = (refused: { channel: Channel; code: number; isSend: boolean }) => void;
