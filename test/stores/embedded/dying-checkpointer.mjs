/** A checkpointing thread that dies at its first pass. */
import { parentPort } from 'node:worker_threads';

parentPort.on('message', () => process.exit(1));
