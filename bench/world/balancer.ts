/** HAProxy with our own configuration file in front of the nodes of a bench. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram } from '../../test/support/executables.ts';
import { freePort } from '../../test/support/ports.ts';
import type { Node } from './cluster.ts';
import { root } from './programs.ts';
import type { Program } from './programs.ts';
import type { Testbed } from './testbed.ts';

/** null: there is no HAProxy on this machine. */
export async function startBalancer(testbed: Testbed, nodes: readonly Node[]): Promise<Program | null> {
  const command = process.env['HAPROXY_BINARY'] ?? findProgram('haproxy', undefined, ['/usr/sbin']);
  if (command === null) return null;
  const port = await freePort();
  const file = join(testbed.folder, `haproxy-${port}.cfg`);
  const shipped = await readFile(join(root, 'config/compose/haproxy.cfg'), 'utf8');
  await writeFile(file, before(nodes, shipped).replace('bind :3000', `bind 127.0.0.1:${port}`));
  const url = `http://127.0.0.1:${port}`;
  const ready = { answers: `${url}/readyz` };
  const args = ['-db', '-f', file];
  return { ...(await testbed.programs.start({ name: 'HAProxy', command, args, env: {}, ready })), url };
}

/** The file as its own comment says for machines without Docker, with these nodes in place of its three. */
function before(nodes: readonly Node[], shipped: string): string {
  const servers = nodes.map(({ id, url }) => `  server ${id} ${new URL(url).host}\n`).join('');
  return shipped
    .replaceAll(' resolvers docker init-addr libc,none', '')
    .replace(/^resolvers docker\n(?: .*\n)+/m, '')
    .replaceAll(/(?:^ {2}server .*\n)+/gm, servers);
}
