import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { once } from 'node:events';
import { listening } from '../../support/ports.ts';

interface ReceivedMail {
  from: string;
  to: string[];
  /** Headers and text as received. */
  content: string;
}

/** The step at which a conversation fails, and how. */
export type SmtpFault = {
  at: 'connect' | 'EHLO' | 'MAIL' | 'RCPT' | 'DATA' | 'taken';
  /** `hang`, `close`, or the answer. */
  does: string;
};

/**
 * Speaks just enough SMTP to accept mails. `refuse` answers 550 to a recipient that it matches; `fault`, called at each step, hangs, closes, or
 * answers its own line there, and is counted in `state.faults`.
 */
export async function smtpServer(
  refuse: (to: string) => boolean = () => false,
  fault: (at: SmtpFault['at']) => SmtpFault['does'] | null = () => null,
) {
  const mails: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  const state = { connections: 0, faults: 0 };
  const server = createServer((socket) => {
    state.connections += 1;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    const fails = (at: SmtpFault['at']): boolean => {
      const does = fault(at);
      if (does === null) return false;
      state.faults += 1;
      if (does === 'close') socket.destroy();
      else if (does !== 'hang') socket.write(`${does}\r\n`);
      return true;
    };
    converse(socket, { refuse, fails }, (mail) => mails.push(mail));
  });
  const port = await listening(server);
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    state,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const steps = ['EHLO', 'MAIL', 'RCPT', 'DATA'] as const;

function converse(
  socket: Socket,
  { refuse, fails }: { refuse: (to: string) => boolean; fails: (at: SmtpFault['at']) => boolean },
  taken: (mail: ReceivedMail) => void,
): void {
  let mail: ReceivedMail = { from: '', to: [], content: '' };
  let isContent = false;
  let rest = '';
  const say = (line: string) => void socket.write(`${line}\r\n`);
  if (!fails('connect')) say('220 test');
  socket.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) hear(line);
  });

  function hear(line: string): void {
    if (isContent) return hearContent(line);
    const address = /<(.*)>/.exec(line)?.[1] ?? '';
    const verb = line.slice(0, 4).toUpperCase();
    if (steps.some((step) => step === verb && fails(step))) return;
    if (verb === 'MAIL') mail = { from: address, to: [], content: '' };
    if (verb === 'RCPT' && refuse(address)) return say('550 no such user');
    if (verb === 'RCPT') mail.to.push(address);
    if (verb === 'DATA') isContent = true;
    say(verb === 'DATA' ? '354 go on' : '250 ok');
  }

  function hearContent(line: string): void {
    if (line !== '.') {
      mail.content += `${line}\n`;
      return;
    }
    isContent = false;
    if (fails('taken')) return;
    taken(mail);
    say('250 taken');
  }
}
