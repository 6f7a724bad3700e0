import { Trunkline, TrunklineError } from 'trunkline-client';

const trunkline = new Trunkline({ baseUrl: process.env.BASE_URL, apiKey: process.env.KEY });
try {
  const [channel_id, recipient, text] = process.argv.slice(2);
  const { status, error } = await trunkline.sendText({ channel_id, recipient, text });
  console.log(status, error ?? '');
  for await (const message of trunkline.listMessages({ channel_id, limit: 100 }))
    console.log(message.created_at, message.direction, message.person);
} catch (error) {
  if (!(error instanceof TrunklineError)) throw error;
  console.error(error.code ?? error.status, error.message, error.requestId);
}
