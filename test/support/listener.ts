import http from 'node:http';

export interface Listener {
  url: string;
  close(): Promise<void>;
}

/** A server on loopback for answers that no receiver should give. */
export async function listen(answer: http.RequestListener): Promise<Listener> {
  const server = http.createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
