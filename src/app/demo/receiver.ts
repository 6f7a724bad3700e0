import http from 'node:http';

export interface Arrival {
  body: Buffer;
  headers: http.IncomingHttpHeaders;
  answered: number;
}

/**
 * The sample webhook receiver: answers 200 to every POST, or the status it was told with `POST /fail?status=500&times=3`.
 * A browser that comes back from a setup dialog sees its one-time code.
 */
export function startReceiver(port: number, onWebhook: (arrival: Arrival) => void): Promise<http.Server> {
  const failing = { status: 500, times: 0 };
  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://receiver');
    if (request.method === 'POST' && url.pathname === '/fail') {
      failing.status = Number(url.searchParams.get('status') ?? 500);
      failing.times = Number(url.searchParams.get('times') ?? 1);
      response.end(`the next ${failing.times} webhooks are answered ${failing.status}\n`);
      return;
    }
    if (request.method !== 'POST') {
      const code = url.searchParams.get('code');
      response.setHeader('content-type', 'text/plain; charset=utf-8');
      response.end(
        code === null
          ? 'Sample webhook receiver.\n'
          : `Connected. Exchange this code within 5 minutes:\n${code}\n`,
      );
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const answered = failing.times > 0 ? failing.status : 200;
      failing.times = Math.max(0, failing.times - 1);
      response.statusCode = answered;
      response.end();
      onWebhook({ body: Buffer.concat(chunks), headers: request.headers, answered });
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, 'localhost', () => resolve(server));
  });
}
