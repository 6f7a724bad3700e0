/** The import table of the architecture as data, checked against every import. [architecture §2.4] */
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parseSync } from 'oxc-parser';

const root = join(import.meta.dirname, '..');

interface Module {
  /** Folder, or file, from the root. */
  at: string;
  may: string[];
  why: string;
}

/** What the modules of the channel actor may all import. */
const actorCommons = [
  'actors/channel/ports',
  ...['limits', 'stages', 'state', 'messages', 'eligibility', 'known-ids'].map(
    (file) => `actors/channel/${file}.ts`,
  ),
  'actors/runtime',
  'src/domain',
  'src/kernel',
];

/** A file belongs to the first module whose path matches it. A module may always import itself. */
const modules: Module[] = [
  { at: 'src/kernel', may: [], why: 'the kernel knows nobody' },
  { at: 'config', may: ['src/kernel'], why: 'settings stand below every module' },
  { at: 'src/domain', may: ['src/kernel'], why: 'the rulebook is plain functions' },
  { at: 'actors/runtime', may: ['src/kernel'], why: 'the runtime knows nothing about messaging' },
  {
    at: 'actors/channel/sends',
    may: actorCommons,
    why: 'a send knows neither facts nor webhooks',
  },
  { at: 'actors/channel/deliveries', may: actorCommons, why: 'a webhook knows neither facts nor sends' },
  {
    at: 'actors/channel/inbound',
    may: actorCommons,
    why: 'facts bring what people write; what waits for its files knows neither them nor sends nor webhooks',
  },
  {
    at: 'actors/channel/facts',
    may: ['sends', 'inbound', 'deliveries'].map((module) => `actors/channel/${module}`).concat(actorCommons),
    why: 'facts confirm sends and become webhooks, never the other way round',
  },
  {
    at: 'actors/channel/performing',
    may: ['sends', 'ports', 'limits.ts', 'messages.ts']
      .map((place) => `actors/channel/${place}`)
      .concat('actors/runtime', 'src/domain', 'src/kernel'),
    why: 'performing decides nothing, and sees no state',
  },
  {
    at: 'actors/channel',
    may: ['actors/runtime', 'src/domain', 'src/kernel'],
    why: 'the actor must not know the world',
  },
  {
    at: 'src/use-cases',
    may: ['src/domain', 'src/kernel', 'actors/channel/asks.ts'],
    why: 'a use-case reaches the world through its ports',
  },
  {
    at: 'src/http',
    may: ['src/use-cases', 'src/domain', 'src/kernel', 'actors/channel/asks.ts'],
    why: 'routes only call use-cases',
  },
  { at: 'src/portal/client', may: [], why: 'client files run in a browser' },
  {
    at: 'src/portal',
    may: ['src/http', 'src/use-cases', 'src/domain', 'src/kernel'],
    why: "pages are routes of http's that call use-cases; http does not know them",
  },
  {
    at: 'src/cluster',
    may: [
      'actors/runtime',
      'actors/channel/asks.ts',
      'actors/channel/messages.ts',
      'src/use-cases/ports',
      'src/features/operators/types.ts',
      'src/kernel',
    ],
    why: 'ownership must not know what a channel decides',
  },
  { at: 'src/simulator', may: ['src/kernel'], why: 'the simulator shares no logic with us' },
  {
    at: 'src/adapters',
    may: ['src/domain', 'src/kernel', 'actors/channel/ports', 'src/use-cases/ports'],
    why: 'an adapter fulfils ports and nothing else',
  },
  { at: 'src/app', may: ['*'], why: '' },
  { at: 'src/main.ts', may: ['*'], why: '' },
  { at: 'src/cli.ts', may: ['src/kernel'], why: 'it starts programs and knows none of them' },
];

/** Which modules may import a heavy library. [architecture §2.4: sole user of] */
const soleUsers: Record<string, string[]> = {
  express: ['src/http', 'src/simulator'],
  ajv: ['src/http', 'config'],
  'ajv-formats': ['src/http', 'config'],
  mongodb: ['src/adapters/storage/mongo', 'src/app'],
  'bee-queue': ['src/adapters/jobs'],
  redlock: ['src/cluster'],
  ioredis: ['src/app', 'src/cluster', 'src/adapters'],
  'socket.io': ['src/adapters/realtime'],
  '@socket.io/redis-adapter': ['src/adapters/realtime'],
  'socket.io-client': ['src/app'],
  undici: ['src/adapters/upstream', 'src/adapters/webhooks', 'src/delivery/dial.ts', 'src/simulator'],
  'file-type': ['src/adapters/media'],
  'music-metadata': ['src/adapters/media'],
  ws: ['src/cluster', 'src/adapters/realtime'],
  // Pure data: which domains are public is a rule of connecting, not an I/O dependency.
  tldts: ['src/domain/connecting'],
  stripe: ['src/features/licences/billing-reader.ts'],
  nodemailer: ['src/adapters/mail'],
  '@photostructure/sqlite': ['src/adapters/storage/sqlite'],
  'prom-client': ['src/app'],
  pino: ['src/kernel'],
  '@opentelemetry/api': ['src/adapters/tracing'],
  '@opentelemetry/sdk-trace-base': ['src/adapters/tracing'],
  '@opentelemetry/exporter-trace-otlp-http': ['src/adapters/tracing'],
  '@opentelemetry/resources': ['src/adapters/tracing'],
  '@node-rs/argon2': ['src/features/people/password-hashing.ts'],
  'lru-cache': ['src/kernel', 'src/use-cases', 'src/adapters', 'src/cluster', 'src/http'],
  preact: ['src/portal'],
  'preact-render-to-string': ['src/portal'],
};

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return sources(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

const files = ['config', 'actors', 'src'].flatMap(sources);
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
const asText = (file: string): string => texts.get(file) ?? '';
const imports = new Map(files.map((file) => [file, readImports(file)]));
const importsOf = (file: string): string[] => imports.get(file) ?? [];

/** The text with comments and import paths blanked, with the lines in their places. */
function codeOf(file: string): string {
  const blank = (from: number, to: number, text: string): string =>
    text.slice(0, from) + text.slice(from, to).replaceAll(/[^\n]/g, ' ') + text.slice(to);
  const { comments, module } = parseSync(file, asText(file));
  const paths = module.staticImports.map(({ start, end }) => ({ start, end }));
  return [...comments, ...paths].reduce((text, { start, end }) => blank(start, end, text), asText(file));
}

function readImports(file: string): string[] {
  const { module } = parseSync(file, asText(file));
  const dynamic = module.dynamicImports.map(({ moduleRequest }) =>
    asText(file).slice(moduleRequest.start, moduleRequest.end).replaceAll(/['"`]/g, ''),
  );
  return [
    ...module.staticImports.map((found) => found.moduleRequest.value),
    ...module.staticExports.flatMap((found) =>
      found.entries.flatMap((entry) => (entry.moduleRequest === null ? [] : [entry.moduleRequest.value])),
    ),
    ...dynamic,
  ];
}

const within = (file: string, place: string): boolean => file === place || file.startsWith(`${place}/`);
const moduleOf = (file: string): Module | undefined => modules.find((module) => within(file, module.at));

function target(file: string, specifier: string): string | null {
  return specifier.startsWith('.') ? relative(root, join(root, dirname(file), specifier)) : null;
}

const relativeImports = files.flatMap((file) =>
  importsOf(file).flatMap((specifier) => {
    const to = target(file, specifier);
    return to === null ? [] : [{ file, to }];
  }),
);

/** Import cycles, the largest first: the strongly connected components of the graph (Tarjan's algorithm). */
function circles(edges: readonly { file: string; to: string }[]): string[][] {
  const targets = new Map<string, string[]>();
  for (const { file, to } of edges) targets.set(file, [...(targets.get(file) ?? []), to]);
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): number => {
    const at = order.size;
    order.set(file, at);
    lowest.set(file, at);
    open.push(file);
    for (const to of targets.get(file) ?? []) {
      const reached = order.has(to) ? (open.includes(to) ? (order.get(to) ?? at) : at) : visit(to);
      lowest.set(file, Math.min(lowest.get(file) ?? at, reached));
    }
    const low = lowest.get(file) ?? at;
    if (low === at) found.push(open.splice(open.indexOf(file)));
    return low;
  };
  for (const { file } of edges) if (!order.has(file)) visit(file);
  return found.filter((part) => part.length > 1).toSorted((a, b) => b.length - a.length);
}

/** The other files that may name a channel type, each with its reason. */
const mayNameKinds: Record<string, string> = {
  'src/rules/vocabulary.ts': 'the list of words itself; schemas take their enums from it',
  'src/rules/channels/kinds.ts': 'the list of the kinds',
  'src/rules/channels/profile.ts': 'who a channel is on its platform, kind by kind',
  'src/upstream/kinds.ts': "the list of the kinds' upstream parts",
  'src/storage/sqlite/schema.ts': 'a rewrite speaks of what was stored before it',
  'src/simulator': 'plays the platform, and shares no code with us',
  'src/app/demo': 'shows one channel of each',
  'src/app/acceptance': 'asks each kind what it alone can do',
  'src/app/acceptance-cli.ts': 'names the kinds in its usage',
  'src/http/docs/openapi.ts': 'says to readers what the API is for',
  'src/http/schemas/kind-notes.ts': 'says to readers which kinds have a field',
  'config/table.ts': 'says to operators what a setting is for',
};

describe('imports have one direction', () => {
  test('every source file belongs to a module', () => {
    expect(files.filter((file) => moduleOf(file) === undefined)).toEqual([]);
  });

  test('a module imports only itself and the modules below it', () => {
    const broken = relativeImports.flatMap(({ file, to }) => {
      const module = moduleOf(file);
      if (module === undefined || module.may.includes('*') || within(to, module.at)) return [];
      return module.may.some((place) => within(to, place))
        ? []
        : [`${file} may not import ${to}: ${module.why}`];
    });
    expect(broken).toEqual([]);
  });

  test('a cycle of imports is found, and a fork that joins again is none', () => {
    const edges = (...pairs: string[]) =>
      pairs.map((pair) => ({ file: pair.slice(0, 1), to: pair.slice(1, 2) }));
    expect(circles(edges('ab', 'bc', 'ca', 'cd')).map((part) => part.toSorted())).toEqual([['a', 'b', 'c']]);
    expect(circles(edges('ab', 'ac', 'bd', 'cd'))).toEqual([]);
  });

  test('no files import each other in a cycle, types included', () => {
    expect(circles(relativeImports)).toEqual([]);
  });

  // A step of the wall clock must not decide anything. [faults: 292]
  test('the wall clock is read by the clock, and for the time of a log line', () => {
    const reading = files.filter(
      (file) =>
        !within(file, 'src/simulator') &&
        !within(file, 'src/app/demo') &&
        /Date\.now\(|new Date\(\)/.test(asText(file)),
    );
    expect(reading.toSorted()).toEqual(['src/kernel/clock.ts', 'src/kernel/log.ts']);
  });

  test('the actor runtime does not name what its actors do', () => {
    const telling = files.filter(
      (file) => within(file, 'actors/runtime') && /channel|webhook/i.test(asText(file)),
    );
    expect(telling).toEqual([]);
  });

  // Webhooks and files dial addresses that others choose: one guard serves both.
  const shared = ['src/delivery/dial.ts', 'src/delivery/dial-race.ts'];

  test('adapters never import each other, except for the guard of dialled addresses', () => {
    const folder = (path: string): string => path.split('/').slice(0, 3).join('/');
    const broken = relativeImports.filter(
      ({ file, to }) =>
        within(file, 'src/adapters') &&
        within(to, 'src/adapters') &&
        !shared.includes(to) &&
        folder(file) !== folder(to),
    );
    expect(broken).toEqual([]);
  });

  test('a channel type never imports another one, only threads', () => {
    const kinds = ['chatapp', 'photoapp', 'pagechat'].map((kind) => `src/domain/channels/${kind}.ts`);
    const broken = relativeImports.filter(({ file, to }) =>
      kinds.some((kind) => within(file, kind) && kinds.some((other) => other !== kind && within(to, other))),
    );
    expect(broken).toEqual([]);
  });

  test('nothing imports the simulator', () => {
    expect(
      relativeImports.filter(({ file, to }) => within(to, 'src/simulator') && !within(file, 'src/simulator')),
    ).toEqual([]);
  });

  test('every imported file exists', () => {
    const missing = relativeImports.filter(
      ({ to }) => statSync(join(root, to), { throwIfNoEntry: false }) === undefined,
    );
    expect(missing).toEqual([]);
  });
});

describe('each heavy library has its module', () => {
  test.each(Object.entries(soleUsers))('%s is used only in %j', (library, places) => {
    const broken = files.filter(
      (file) =>
        importsOf(file).some((specifier) => specifier === library || specifier.startsWith(`${library}/`)) &&
        !places.some((place) => within(file, place)),
    );
    expect(broken).toEqual([]);
  });
});

describe('what only one module may do', () => {
  const offenders = (pattern: RegExp, allowed: string[]): string[] =>
    files.filter((file) => !allowed.some((place) => within(file, place)) && pattern.test(asText(file)));

  test('only the clock reads the time or sets timers', () => {
    expect(
      offenders(/\bDate\.now\(|\bsetTimeout\(|\bsetInterval\(/, [
        'src/kernel/clock.ts',
        'src/simulator',
        'src/app',
        'src/portal/client', // a browser has its own clock
        'src/media/download.ts', // a socket's own idle limit, which has no other name
      ]),
    ).toEqual([]);
  });

  test('only config reads the environment', () => {
    expect(offenders(/process\.env\b/, ['config', 'src/simulator', 'src/app/demo'])).toEqual([]);
  });

  test('a channel type is named only in its own module', () => {
    const homes =
      /^src\/(domain\/channels\/(chatapp|photoapp|pagechat)\.ts$|adapters\/upstream\/(chatapp|threads)\/)/;
    const word = /\b(?:chatapp|photoapp|pagechat)\b/;
    const named = files
      .filter((file) => !homes.test(file) && !Object.keys(mayNameKinds).some((place) => within(file, place)))
      .flatMap((file) =>
        codeOf(file)
          .split('\n')
          .flatMap((line, at) => (word.test(line) ? [`${file}:${at + 1} ${line.trim()}`] : [])),
      );
    expect(named).toEqual([]);
    const places = Object.keys(mayNameKinds);
    expect(
      places.filter((place) => !files.some((file) => within(file, place) && word.test(codeOf(file)))),
    ).toEqual([]);
  });

  test('nothing names a package registry', () => {
    expect(offenders(/registry\.[a-z]+\.(org|com)/, [])).toEqual([]);
  });
});

describe('an exported name', () => {
  const everywhere = [...files, ...['bench', 'test'].flatMap(sources)];
  const parsed = everywhere.map((file) => {
    const text = texts.get(file) ?? readFileSync(join(root, file), 'utf8');
    return { file, text, module: parseSync(file, text).module };
  });

  /** `file#name`; a file that is imported as a whole has `file#*`. */
  function listTaken({ file, text, module }: (typeof parsed)[number]): string[] {
    const from = (specifier: string, names: readonly (string | null)[]): string[] =>
      names.map((name) => `${target(file, specifier)}#${name ?? '*'}`);
    return [
      ...module.staticImports.flatMap(({ moduleRequest, entries }) =>
        from(
          moduleRequest.value,
          entries.map(({ importName }) => importName.name),
        ),
      ),
      ...module.staticExports.flatMap(({ entries }) =>
        entries.flatMap(({ moduleRequest, importName }) =>
          moduleRequest === null ? [] : from(moduleRequest.value, [importName.name]),
        ),
      ),
      ...module.dynamicImports.flatMap(({ moduleRequest: { start, end } }) =>
        from(text.slice(start + 1, end - 1), [null]),
      ),
    ];
  }

  test('is imported somewhere', () => {
    const taken = new Set(parsed.flatMap(listTaken));
    const idle = parsed
      .filter(({ file }) => texts.has(file) && !taken.has(`${file}#*`))
      .flatMap(({ file, module }) =>
        module.staticExports.flatMap(({ entries }) =>
          entries.flatMap(({ exportName: { name } }) => (name === null ? [] : [`${file}#${name}`])),
        ),
      );
    expect(idle.filter((name) => !taken.has(name))).toEqual([]);
  });
});
