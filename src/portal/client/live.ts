/** Live events over a plain WebSocket that speaks socket.io's own protocol. */
export interface Envelope {
  event: string;
  channel_id: string;
  channel_type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

interface Watcher {
  say: (state: string) => void;
  show: (event: Envelope) => void;
}

let current: WebSocket | null = null;

/** A second call begins anew with the key of that time. */
export function follow(apiKey: string, watcher: Watcher): void {
  current?.close();
  const socket = new WebSocket(
    `${location.origin.replace(/^http/, 'ws')}/live/socket.io/?EIO=4&transport=websocket`,
  );
  current = socket;
  const say = (state: string): void => {
    if (socket === current) watcher.say(state);
  };
  say('connecting …');
  socket.addEventListener('message', ({ data }: MessageEvent<string>) =>
    take(socket, data, apiKey, { ...watcher, say }),
  );
  socket.addEventListener('close', () => say('not connected'));
}

function take(socket: WebSocket, packet: string, apiKey: string, { say, show }: Watcher): void {
  if (packet.startsWith('0')) socket.send(`40/live,${JSON.stringify({ apiKey })}`);
  else if (packet === '2') socket.send('3');
  else if (packet.startsWith('40/live')) say('connected');
  else if (packet.startsWith('44/live')) say('refused: this key is none of this service’s');
  else if (packet.startsWith('42/live,')) show(JSON.parse(packet.slice('42/live,'.length))[1]);
}
