import type { Connected } from './connect.ts';

interface Places {
  service: string;
  simulator: string;
  receiver: string;
}

const people = {
  chatapp: '4915900000777',
  photoapp: '9900000000000007',
  pagechat: '8800000000000001',
} as const;
const addresses = {
  chatapp: '422300000000002',
  photoapp: '17840000000000006',
  pagechat: '520000000000005',
} as const;

/** What exists now, and lines to paste into another terminal. */
export function printWalkthrough({
  service,
  simulator,
  receiver,
  apiKey,
  adminToken,
  channels,
}: Places & Connected): void {
  const json = `-H 'content-type: application/json'`;
  const lines = [
    '',
    `  Service    ${service}   Portal ${service}/portal   Contract ${service}/docs`,
    `  Simulator  ${simulator}   Play a customer ${simulator}/control/chat`,
    `  Receiver   ${receiver}`,
    `  API key    ${apiKey}`,
    `  Admin      ${adminToken}`,
    ...channels.map(({ id, type, name }) => `  ${type.padEnd(9)}  ${id}   ${name}`),
    '',
    'Paste into another terminal:',
    '',
    `export KEY=${apiKey}`,
    `export CHANNEL=${channels[0]?.id ?? ''}   # the ${channels[0]?.type ?? ''} one`,
    '',
    '# the channels of the account',
    `curl -s ${service}/api/v1/channels -H "X-API-Key: $KEY"`,
    '',
    ...channels.flatMap(({ id, type }) => [
      `# send a text on ${type}`,
      `curl -s ${service}/api/v1/messages/send -H "X-API-Key: $KEY" ${json} -d '{"channel_id":"${id}","recipient":"${peopleOf(type)}","text":"Hello from ${type}"}'`,
    ]),
    '',
    ...channels.flatMap(({ type }) => [
      `# a person writes on ${type}`,
      `curl -s ${simulator}/control/people/write ${json} -d '{"channel":"${addressOf(type)}","from":"${peopleOf(type)}","text":"Hello, are you open?"}'`,
    ]),
    '',
    '# the person reads what was sent',
    `curl -s ${simulator}/control/people/read ${json} -d '{"channel":"${addressOf('chatapp')}","from":"${peopleOf('chatapp')}"}'`,
    '',
    '# the receiver fails three times: watch the retries (the demo shortens the ladder to seconds)',
    `curl -s -X POST '${receiver}/fail?status=500&times=3'`,
    '',
    '# connect a channel by hand: open the setup_url in a browser',
    `curl -s ${service}/api/v1/channels/setup-url -H "X-API-Key: $KEY" ${json} -d '{"channel_type":"chatapp","redirect_uri":"${receiver}/connected"}'`,
    '',
    'What happens (Ctrl-C ends it):',
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

function peopleOf(type: string): string {
  return type === 'chatapp' ? people.chatapp : type === 'photoapp' ? people.photoapp : people.pagechat;
}

function addressOf(type: string): string {
  return type === 'chatapp'
    ? addresses.chatapp
    : type === 'photoapp'
      ? addresses.photoapp
      : addresses.pagechat;
}
