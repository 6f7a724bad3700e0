/** Starts a server's listener. */
import type http from 'node:http';

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
