import { afterAll, afterEach, expect } from '@jest/globals';
import { adapterTo, secrets, startScripted } from './support.ts';
import type { Scripted } from './support.ts';

/**
 * A scripted upstream for the tests of a file, and `src/upstream` over it. No line that it logs contains a secret, or what is sent.
 * [faults: I10]
 */
export async function openUpstream(): Promise<{ server: Scripted } & ReturnType<typeof adapterTo>> {
  const server = await startScripted();
  const adapter = adapterTo(server.url);
  const { upstream, lines } = adapter;
  afterEach(() => {
    expect(lines.join('')).not.toMatch(secrets);
    lines.length = 0;
  });
  afterAll(async () => {
    await server.close();
    await upstream.close();
  });
  return { server, ...adapter };
}
