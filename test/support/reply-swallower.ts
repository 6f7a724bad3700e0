/** A TCP proxy that can lose the reply to a command after the server has applied it. [faults: 22, 23] */
import net from 'node:net';
import { freePort } from './ports.ts';

export class ReplySwallower {
  readonly #server: net.Server;
  readonly #port: number;
  readonly #sockets = new Set<net.Socket>();
  #command = '';
  #left = 0;
  /** How many replies have been lost: proves that the fault fired. */
  swallowed = 0;

  private constructor(server: net.Server, port: number) {
    this.#server = server;
    this.#port = port;
  }

  /** Starts a proxy in front of the MongoDB on this port of loopback. */
  static async start(targetPort: number): Promise<ReplySwallower> {
    const server = net.createServer();
    const proxy = new ReplySwallower(server, await freePort());
    server.on('connection', (client) => proxy.#join(client, targetPort));
    await new Promise<void>((resolve) => server.listen(proxy.#port, '127.0.0.1', resolve));
    return proxy;
  }

  uriOf(database: string): string {
    return `mongodb://127.0.0.1:${this.#port}/${database}?directConnection=true`;
  }

  /** Loses the replies to the next `times` commands of this name and closes their connections. */
  swallow(command: string, times: number): void {
    this.#command = command;
    this.#left = times;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: net.Socket, targetPort: number): void {
    const server = net.connect(targetPort, '127.0.0.1');
    let isLost = false;
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', end);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        end();
      });
    }
    client.on('data', (chunk) => {
      isLost ||= this.#isNamedIn(chunk);
      server.write(chunk);
    });
    server.on('data', (chunk) => {
      if (!isLost) {
        client.write(chunk);
        return;
      }
      this.swallowed += 1;
      end();
    });
  }

  /** Looks for the command's name as a BSON key of type string: a type byte, the name, a zero. */
  #isNamedIn(chunk: Buffer): boolean {
    if (this.#left === 0 || !chunk.includes(`\u0002${this.#command}\0`, 0, 'latin1')) return false;
    this.#left -= 1;
    return true;
  }
}
