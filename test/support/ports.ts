import { randomInt } from 'node:crypto';
import net from 'node:net';

/** Below the range of ephemeral ports: an outgoing connection could take one of those before the test binds it. Above 10080, which `fetch` refuses. */
const [lowest, highest] = [11_000, 32_000];
const tries = 50;

/**
 * A port is bound only a moment after it is drawn, and a server that was stopped takes its own again. So each worker of jest draws from
 * its own part of the range, and no port twice. Runs that CI has beside each other have other parts: the fast tier, and that of each Node.
 */
const workers = 10;
const runs = 4;
const share = (highest - lowest) / (runs * workers);
const major = Number(process.versions.node.split('.')[0]);
const run = process.env['TEST_TIER'] === 'fast' ? 1 + Number(major >= 22) + Number(major >= 24) : 0;
const first = lowest + (run * workers + (Number(process.env['JEST_WORKER_ID'] ?? 0) % workers)) * share;
const drawn = new Set<number>();

/** A port on which nobody listens, and which no other worker is given. */
export async function freePort(): Promise<number> {
  for (let time = 0; time < tries; time += 1) {
    const port = first + randomInt(share);
    if (drawn.has(port) || !(await isFree(port, '127.0.0.1'))) continue;
    drawn.add(port);
    return port;
  }
  throw new Error(`${tries} ports from ${first} on were all taken`);
}

/** The first of three ports in a row that `areFree`. */
export async function firstOfThreeFree(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (await areFree([port, port + 1, port + 2])) return port;
  }
}

/** Whether nobody listens on any of them, at any address. */
export async function areFree(ports: readonly number[]): Promise<boolean> {
  const all = await Promise.all(ports.map((port) => isFree(port, undefined)));
  return !all.includes(false);
}

/** `address` undefined: at every address. */
function isFree(port: number, address: string | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: address }, () => server.close(() => resolve(true)));
  });
}

/** Makes the server listen on loopback, on a port that the system chooses unless one is given; returns the port. */
export async function listening(server: net.Server, given = 0): Promise<number> {
  await new Promise<void>((resolve) => server.listen(given, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
