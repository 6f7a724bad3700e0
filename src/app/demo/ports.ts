import net from 'node:net';

/** The first of these ports on this machine that something listens on; null: all are free. */
export async function firstTaken(ports: readonly number[]): Promise<number | null> {
  const taken = await Promise.all(ports.map(isTaken));
  return ports.find((_, index) => taken[index] === true) ?? null;
}

function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.once('error', () => resolve(true));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(false)));
  });
}
