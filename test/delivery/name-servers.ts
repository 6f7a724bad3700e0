/** Name servers of a test's own, on real sockets. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

interface NameServer {
  /** As `setServers` takes it. */
  address: string;
  close(): void;
}

const headerBytes = 12;
const typeA = 1;

/** Answers each question for an A record with this address, every other one with none. */
export async function nameServer(ipv4: string): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => socket.send(answerTo(query, ipv4), from.port, from.address));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, close: () => void socket.close() };
}

/** [RFC 1035 §4.1] The question again, and at most one record that points to its name. */
function answerTo(query: Buffer, ipv4: string): Buffer {
  const nameEnd = query.indexOf(0, headerBytes) + 1;
  const hasRecord = query.readUInt16BE(nameEnd) === typeA;
  const question = query.subarray(0, nameEnd + 4);
  const record = [0xc0, headerBytes, 0, typeA, 0, 1, 0, 0, 0, 60, 0, 4, ...ipv4.split('.').map(Number)];
  const answer = Buffer.concat([question, Buffer.from(hasRecord ? record : [])]);
  answer.writeUInt16BE(0x8180, 2); // an answer, without error
  answer.writeUInt16BE(hasRecord ? 1 : 0, 6);
  answer.writeUInt32BE(0, 8); // neither authority nor additional records
  return answer;
}
