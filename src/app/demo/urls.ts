/** Where the demo's three programs listen: the service at `DEMO_PORT`, the others on the two ports after it. */
export interface DemoUrls {
  ports: { service: number; simulator: number; receiver: number };
  service: string;
  simulator: string;
  receiver: string;
}

const defaultPort = 3000;

/** Throws an Error with a sentence for the person when `DEMO_PORT` is no port, or has no two ports after it. */
export function demoUrls(port: string | undefined): DemoUrls {
  const first = port === undefined || port === '' ? defaultPort : Number(port);
  if (!Number.isInteger(first) || first < 1 || first > 65_533)
    throw new Error(`DEMO_PORT must be a whole number from 1 to 65533; it is ${port}`);
  const ports = { service: first, simulator: first + 1, receiver: first + 2 };
  return {
    ports,
    service: `http://localhost:${ports.service}`,
    simulator: `http://localhost:${ports.simulator}`,
    receiver: `http://localhost:${ports.receiver}`,
  };
}
