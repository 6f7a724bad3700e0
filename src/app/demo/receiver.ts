import http from 'node:http';

/** Of a further endpoint of a channel, which takes everything that it gets. */
export const crmPath = '/crm';

export interface Arrival {
  path: string;
  body: Buffer;
  headers: http.IncomingHttpHeaders;
  answered: number;
}

interface Failure {
  status: number;
  /** How many webhooks are still to be answered so. */
  times: number;
  /** Only messages of this person; null: of anybody. */
  from: string | null;
}

/** Uses up one time of the first failure that matches. */
function statusFor(failures: readonly Failure[], body: Buffer): number {
  const fits = ({ times, from }: Failure): boolean =>
    times > 0 && (from === null || body.includes(`"from":"${from}"`));
  const failure = failures.find(fits);
  if (failure === undefined) return 200;
  failure.times -= 1;
  return failure.status;
}

/**
 * The sample webhook receiver: answers 200 to every POST, or the status set by `POST /fail?status=500&times=3`, with `&from=` only for
 * messages of that person; the further endpoint never fails. A browser that returns from a setup dialog is shown its one-time code.
 */
export function startReceiver(port: number, onWebhook: (arrival: Arrival) => void): Promise<http.Server> {
  const failures: Failure[] = [];
  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://receiver');
    if (request.method === 'POST' && url.pathname === '/fail') {
      const failure = {
        status: Number(url.searchParams.get('status') ?? 500),
        times: Number(url.searchParams.get('times') ?? 1),
        from: url.searchParams.get('from'),
      };
      failures.push(failure);
      response.end(`the next ${failure.times} webhooks are answered with status ${failure.status}\n`);
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
      const body = Buffer.concat(chunks);
      const answered = url.pathname === crmPath ? 200 : statusFor(failures, body);
      response.statusCode = answered;
      response.end();
      onWebhook({ path: url.pathname, body, headers: request.headers, answered });
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, 'localhost', () => resolve(server));
  });
}
