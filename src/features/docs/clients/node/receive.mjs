import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook, WebhookError } from 'trunkline-client';

const secret = process.env.WEBHOOK_SECRET;

async function receive(request, response) {
  try {
    const event = verifyWebhook(secret, await buffer(request), request.headers);
    response.writeHead(200).end();
    if (event.event === 'message.received') console.log(event.data.from, event.data.text);
  } catch (error) {
    response.writeHead(error instanceof WebhookError ? 401 : 500).end();
  }
}

createServer((request, response) => void receive(request, response)).listen(process.env.PORT ?? 8080);
