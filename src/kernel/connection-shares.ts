/**
 * A listener's places for connections, shared by the clients that hold them. Near its maximum, each newcomer costs the client network that
 * holds most its longest idle connection: whoever opens thousands pays for them alone, and everybody else gets in. A connection whose
 * answer is being made is never ended for that. [faults: 290, 291]
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { clientNetwork } from './client-network.ts';

/** `idle`: an idle connection ended for a newcomer; `full`: a newcomer found no place. */
type DropReason = 'idle' | 'full';

export interface Drop {
  why: DropReason;
  /** The client network that holds most connections, and how many. */
  network: string;
  held: number;
  max: number;
}

interface Place {
  socket: Socket;
  holder: Holder;
  /** The last request, and its answer; null: none yet. */
  request: IncomingMessage | null;
  response: ServerResponse | null;
}

/** Places in the order of their last request, those with the oldest first; `held` also counts connections that are never idle. */
interface Holder {
  network: string;
  held: number;
  places: Set<Place>;
}

/** From here on room is made, so that a burst of newcomers finds places. */
const nearlyFull = 0.95;

export class ConnectionShares {
  readonly #max: number;
  readonly #dropped: (drop: Drop) => void;
  readonly #places = new WeakMap<Socket, Place>();
  readonly #byPort = new Map<string, Place>();
  readonly #holders = new Map<string, Holder>();
  /** Holders by how many connections they hold. */
  readonly #ranks: Set<Holder>[] = [new Set()];
  #open = 0;

  constructor(max: number, dropped: (drop: Drop) => void) {
    this.#max = max;
    this.#dropped = dropped;
  }

  get open(): number {
    return this.#open;
  }

  /** Shares the places of this server, which must not listen yet. */
  guard(server: Server): void {
    server.maxConnections = this.#max;
    server.on('connection', (socket: Socket) => this.#enter(socket));
    server.on('drop', () => this.#tell('full'));
  }

  /** A request began: its connection is idle once this answer has left. */
  asked(request: IncomingMessage, response: ServerResponse): void {
    const place = this.#places.get(request.socket);
    if (place === undefined) return;
    place.request = request;
    place.response = response;
    if (place.holder.places.delete(place)) place.holder.places.add(place);
  }

  /** The connection belongs to somebody whose number of connections is limited elsewhere: it is never idle. */
  keep({ remoteAddress, remotePort }: Socket): void {
    const place = this.#byPort.get(portName({ remoteAddress, remotePort }));
    place?.holder.places.delete(place);
  }

  /** Whether there is a connection whose first request has not come. */
  get hasNewcomer(): boolean {
    for (const { places } of this.#holders.values())
      for (const { request } of places) if (request === null) return true;
    return false;
  }

  /** Ends the connections on which no request is under way, also those on which headers have begun to arrive. */
  endSilent(): void {
    const places = [...this.#holders.values()].flatMap((holder) => [...holder.places]);
    for (const place of places) if (!isAsking(place)) place.socket.destroy();
  }

  #enter(socket: Socket): void {
    const holder = this.#holderOf(clientNetwork(socket.remoteAddress ?? ''));
    const place: Place = { socket, holder, request: null, response: null };
    const name = portName(socket);
    this.#places.set(socket, place);
    this.#byPort.set(name, place);
    holder.places.add(place);
    this.#rank(holder, 1);
    this.#open += 1;
    socket.once('close', () => {
      if (this.#byPort.get(name) === place) this.#byPort.delete(name);
      holder.places.delete(place);
      this.#rank(holder, -1);
      this.#open -= 1;
    });
    if (this.#open > this.#max * nearlyFull) this.#makeRoom();
  }

  #makeRoom(): void {
    for (const place of this.#largest()?.places ?? []) {
      if (!isIdle(place)) continue;
      this.#tell('idle');
      place.holder.places.delete(place);
      place.socket.destroy();
      return;
    }
  }

  #holderOf(network: string): Holder {
    const known = this.#holders.get(network);
    if (known !== undefined) return known;
    const holder: Holder = { network, held: 0, places: new Set() };
    this.#holders.set(network, holder);
    return holder;
  }

  #rank(holder: Holder, by: 1 | -1): void {
    this.#ranks[holder.held]?.delete(holder);
    holder.held += by;
    if (holder.held === 0) this.#holders.delete(holder.network);
    else (this.#ranks[holder.held] ??= new Set()).add(holder);
    while (this.#ranks.length > 1 && this.#ranks.at(-1)?.size === 0) this.#ranks.pop();
  }

  #largest(): Holder | undefined {
    return this.#ranks.at(-1)?.values().next().value;
  }

  #tell(why: DropReason): void {
    const { network = '', held = 0 } = this.#largest() ?? {};
    this.#dropped({ why, network, held, max: this.#max });
  }
}

/** A request that is still arriving counts as idle: a slow client must not keep its place by never ending. */
function isIdle(place: Place): boolean {
  return !isAsking(place) || place.request?.complete === false;
}

/** The headers of a request have arrived, and its answer has not left. */
function isAsking({ response }: Place): boolean {
  return response !== null && !response.writableFinished;
}

function portName({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remotePort} ${remoteAddress}`;
}
