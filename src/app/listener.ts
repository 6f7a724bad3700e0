/** Starts and stops a server's listener. */
import type http from 'node:http';
import type { Clock } from '../kernel/clock.ts';

/** A start that failed for a reason outside the program; its message is one line. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Resolves with the URL of the listener. Throws StartError. `failed` is called for later errors of the server, which keeps running. */
export function listen(
  server: http.Server,
  { host, port }: { host: string; port: number },
  failed: (error: Error) => void,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const refuse = (error: Error): void =>
      reject(new StartError(`cannot listen on ${host}:${port}: ${error.message}`));
    server.once('error', refuse);
    server.listen(port, host, () => {
      server.off('error', refuse).on('error', failed);
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${bound}`);
    });
  });
}

/** Time that remains for the parts that stop after the listener. */
const afterCutMs = 1_000;
/** Before open requests are cut off, those that wait for other nodes are answered. */
const lastCallMs = 1_000;

/** Interval between checks for connections that have become idle. */
const idleLookMs = 100;

/**
 * Open requests get their answer, with `Connection: close`: a busy client that keeps its connection would otherwise delay the stop until
 * its requests are cut off. Idle connections are closed. `lastCall` is called a second before the cut.
 */
export function stopListening(
  server: http.Server,
  clock: Clock,
  leftMs: number,
  lastCall: () => void = () => undefined,
): Promise<void> {
  server.prependListener('request', (_, response) => response.setHeader('Connection', 'close'));
  return new Promise((resolve) => {
    const cutMs = Math.max(0, leftMs - afterCutMs);
    const cancelLastCall = clock.after(Math.max(0, cutMs - lastCallMs), lastCall);
    const cancelCut = clock.after(cutMs, () => server.closeAllConnections());
    let cancelLook = (): void => undefined;
    const closeIdle = (): void => {
      server.closeIdleConnections();
      cancelLook = clock.after(idleLookMs, closeIdle);
    };
    server.close(() => {
      cancelLastCall();
      cancelCut();
      cancelLook();
      resolve();
    });
    closeIdle();
  });
}
