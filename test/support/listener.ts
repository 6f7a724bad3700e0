import http from 'node:http';
import { listening } from './ports.ts';

interface Listener {
  url: string;
  close(): Promise<void>;
}

/** Opens an HTTP server on loopback with any handler, for answers that `Inbox` cannot give. */
export async function listen(answer: http.RequestListener): Promise<Listener> {
  const server = http.createServer(answer);
  const port = await listening(server);
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
