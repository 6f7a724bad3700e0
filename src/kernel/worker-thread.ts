/** Worker threads: how one is started, and its port to the thread that started it. */
import { Worker, parentPort } from 'node:worker_threads';
import type { MessagePort, ResourceLimits } from 'node:worker_threads';
import { asError } from './faults.ts';

/** Sent by a thread once it accepts requests; every other message is an answer. */
export interface ThreadReady {
  type: 'ready';
}

export interface ThreadOptions<Answer> {
  workerData?: unknown;
  resourceLimits: ResourceLimits;
  /** Files that the thread has opened stay open when it ends. */
  keepsDescriptors?: boolean;
  onReady: () => void;
  onAnswer: (answer: Answer) => void;
  /** An uncaught error of the thread; its exit follows. */
  onError: (error: Error) => void;
  onExit: () => void;
}

/** The module `name` beside the one at `url`, an `import.meta.url`: TypeScript source or compiled, like that one. */
export function moduleBeside(url: string, name: string): URL {
  // A loader may add a query.
  const { pathname } = new URL(url);
  return new URL(`./${name}${pathname.endsWith('.ts') ? '.ts' : '.js'}`, url);
}

/** TypeScript source needs a loader (tsx, jest), which `thread-from-source.mjs` installs. */
export function startThread<Answer extends { type: string }>(
  module: URL,
  {
    workerData,
    resourceLimits,
    keepsDescriptors = false,
    onReady,
    onAnswer,
    onError,
    onExit,
  }: ThreadOptions<Answer>,
): Worker {
  const options = { workerData, resourceLimits, trackUnmanagedFds: !keepsDescriptors };
  const worker = module.pathname.endsWith('.ts')
    ? new Worker(new URL('./thread-from-source.mjs', import.meta.url), { ...options, argv: [module.href] })
    : new Worker(module, options);
  worker.on('message', (message: ThreadReady | Answer) => {
    if (isReady(message)) onReady();
    else onAnswer(message);
  });
  worker.on('error', (error) => onError(asError(error)));
  worker.on('exit', onExit);
  return worker;
}

function isReady(message: { type: string }): message is ThreadReady {
  return message.type === 'ready';
}

/** For the module that a thread runs: the port for its requests and answers. */
export function portOfThread(): MessagePort {
  if (parentPort === null) throw new Error('this module runs in a worker thread');
  return parentPort;
}
