/** Memory of a process, read with Node's inspector after a garbage collection, so that only retained memory counts. */
import { WebSocket } from 'ws';
import { until } from '../../test/support/until.ts';

export interface Held {
  heapBytes: number;
  rssBytes: number;
}

/** `port`: the port of `--inspect`. */
export async function heldBy(port: number): Promise<Held> {
  const socket = new WebSocket(await socketUrl(port), { perMessageDeflate: false });
  try {
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const ask = asker(socket);
    for (let time = 0; time < 3; time += 1) await ask('HeapProfiler.collectGarbage', {});
    const expression = 'JSON.stringify(process.memoryUsage())';
    const answer = await ask('Runtime.evaluate', { expression, returnByValue: true });
    const { heapUsed, external, rss }: { heapUsed: number; external: number; rss: number } =
      JSON.parse(answer);
    return { heapBytes: heapUsed + external, rssBytes: rss };
  } finally {
    socket.close();
  }
}

async function socketUrl(port: number): Promise<string> {
  return until('the inspector', async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/json/list`);
    const [target]: { webSocketDebuggerUrl: string }[] = JSON.parse(await answer.text());
    return target?.webSocketDebuggerUrl;
  });
}

/** Sends one inspector command at a time. Resolves to the value of an evaluated expression, or to an empty string. */
function asker(socket: WebSocket): (method: string, params: object) => Promise<string> {
  let id = 0;
  return (method, params) => {
    id += 1;
    const own = id;
    return new Promise((resolve, reject) => {
      const heard = (text: WebSocket.RawData): void => {
        const said: { id?: number; error?: { message: string }; result?: { result?: { value?: string } } } =
          JSON.parse(Buffer.isBuffer(text) ? text.toString() : '{}');
        if (said.id !== own) return;
        socket.off('message', heard);
        if (said.error === undefined) resolve(said.result?.result?.value ?? '');
        else reject(new Error(`${method}: ${said.error.message}`));
      };
      socket.on('message', heard);
      socket.send(JSON.stringify({ id: own, method, params }));
    });
  };
}
