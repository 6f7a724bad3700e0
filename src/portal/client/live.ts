/** Live events over a plain WebSocket that speaks socket.io's own protocol. */
import { typedKey } from './api.ts';
import { byId, make } from './dom.ts';

interface Envelope {
  event: string;
  channel_type: string;
  timestamp: string;
  data: unknown;
}

const maxShown = 200;
let current: WebSocket | null = null;

/** Shows events as they come, newest on top; a second call begins anew with the key of that time. */
export function follow(): void {
  current?.close();
  const socket = new WebSocket(
    `${location.origin.replace(/^http/, 'ws')}/live/socket.io/?EIO=4&transport=websocket`,
  );
  current = socket;
  const say = (state: string): void => {
    if (socket === current) byId('live').textContent = state;
  };
  say('connecting …');
  socket.addEventListener('message', ({ data }: MessageEvent<string>) => take(socket, data, say));
  socket.addEventListener('close', () => say('not connected'));
}

function take(socket: WebSocket, packet: string, say: (state: string) => void): void {
  if (packet.startsWith('0')) socket.send(`40/live,${JSON.stringify({ apiKey: typedKey() })}`);
  else if (packet === '2') socket.send('3');
  else if (packet.startsWith('40/live')) say('connected');
  else if (packet.startsWith('44/live')) say('refused');
  else if (packet.startsWith('42/live,')) show(JSON.parse(packet.slice('42/live,'.length))[1]);
}

function show({ event, channel_type: type, timestamp, data }: Envelope): void {
  const events = byId('events');
  const heading = make('summary', {}, `${timestamp.slice(11, 23)}  ${type}  ${event}`);
  events.prepend(make('details', {}, heading, make('pre', {}, JSON.stringify(data, null, 2))));
  while (events.childElementCount > maxShown) events.lastElementChild?.remove();
}
