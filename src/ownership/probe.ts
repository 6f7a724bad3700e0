import net from 'node:net';
import type { Clock } from '../kernel/clock.ts';

const probeMs = 250;

/** True only when the port refuses the connection: a time-out, a reset or an unknown host proves nothing. */
export function isRefused(url: string, clock: Clock): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = net.connect({ host, port: Number(port) || 443 });
    const cancel = clock.after(probeMs, () => done(false));
    const done = (refused: boolean): void => {
      cancel();
      socket.destroy();
      resolve(refused);
    };
    socket.once('connect', () => done(false));
    socket.once('error', (error) => done('code' in error && error.code === 'ECONNREFUSED'));
  });
}
