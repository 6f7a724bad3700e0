/** The import table of the architecture as data, checked against every import. [architecture §2.4] */
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parseSync } from 'oxc-parser';

const root = join(import.meta.dirname, '..');

interface Module {
  /** Folder, or file, from the root. */
  at: string;
  /** A module imports itself and modules of a lower rank. */
  rank: number;
  /** Files of its own rank that it may import all the same, with the reason. */
  besides?: Record<string, string>;
}

/** A file belongs to the first module whose path matches it. */
const modules: Module[] = [
  { at: 'src/kernel', rank: 0 },
  { at: 'src/simulator', rank: 1 },
  { at: 'config', rank: 1 },
  { at: 'src/rules', rank: 1 },
  { at: 'src/storage', rank: 2 },
  { at: 'src/jobs', rank: 3 },
  { at: 'src/delivery', rank: 3 },
  {
    at: 'src/upstream',
    rank: 3,
    besides: { 'src/delivery/dial.ts': 'one guard dials every address' },
  },
  {
    at: 'src/media',
    rank: 3,
    besides: { 'src/delivery/dial.ts': 'one guard dials every address' },
  },
  { at: 'actors/runtime', rank: 4 },
  { at: 'actors/channel', rank: 5 },
  { at: 'src/ownership', rank: 6 },
  { at: 'src/http', rank: 6 },
  { at: 'src/pages/client', rank: 0 },
  { at: 'src/pages', rank: 7 },
  { at: 'src/features', rank: 8 },
  { at: 'src/app', rank: 9 },
  { at: 'src/main.ts', rank: 10 },
  { at: 'src/cli.ts', rank: 10 },
];

/** What the parts of the channel actor may all import. */
const actorCommons = [
  ...['limits', 'stages', 'state', 'messages', 'eligibility', 'learned-ids', 'status-times'].map(
    (file) => `actors/channel/${file}.ts`,
  ),
  'actors/runtime',
  'src/storage/journal',
  'src/rules',
  'src/kernel',
];

/** Stricter than the ranks: what a part may import, and why nothing else. */
const strict: { at: string; may: string[]; why: string }[] = [
  { at: 'actors/runtime', may: ['src/kernel'], why: 'the runtime knows nothing about messaging' },
  { at: 'actors/channel/sends', may: actorCommons, why: 'a send knows neither facts nor webhooks' },
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
    may: ['sends', 'limits.ts', 'messages.ts']
      .map((place) => `actors/channel/${place}`)
      .concat('actors/runtime', 'src/storage/journal', 'src/rules', 'src/kernel'),
    why: 'performing decides nothing, and sees no state',
  },
  {
    at: 'actors/channel',
    may: ['actors/runtime', 'src/storage/journal', 'src/rules', 'src/kernel'],
    why: 'the actor must not know the world',
  },
  {
    at: 'src/ownership',
    may: [
      'actors/runtime',
      'actors/channel/asks.ts',
      'actors/channel/messages.ts',
      'src/storage',
      'src/rules',
      'src/kernel',
    ],
    why: 'ownership must not know what a channel decides',
  },
  {
    at: 'src/http',
    may: ['actors/channel/asks.ts', 'src/rules', 'src/kernel'],
    why: 'the door knows no room',
  },
  { at: 'src/simulator', may: ['src/kernel'], why: 'the simulator shares no logic with us' },
  { at: 'src/cli.ts', may: ['src/kernel'], why: 'it starts programs and knows none of them' },
];

/** Which modules may import a heavy library. [architecture §2.4: sole user of] */
const soleUsers: Record<string, string[]> = {
  express: ['src/http', 'src/simulator'],
  ajv: ['src/http', 'config'],
  'ajv-formats': ['src/http', 'config'],
  mongodb: ['src/storage/mongo', 'src/app'],
  'bee-queue': ['src/jobs'],
  redlock: ['src/ownership'],
  ioredis: [
    'src/app',
    'src/ownership',
    'src/jobs',
    'src/http/limits',
    'src/features/live',
    'src/features/profiles',
  ],
  'socket.io': ['src/features/live'],
  '@socket.io/redis-adapter': ['src/features/live'],
  'socket.io-client': ['src/app'],
  undici: ['src/upstream', 'src/delivery', 'src/simulator'],
  'file-type': ['src/media'],
  'music-metadata': ['src/media'],
  ws: ['src/ownership', 'src/features/live'],
  // Pure data: which domains are public is a rule of redirects, not an I/O dependency.
  tldts: ['src/features/redirects'],
  stripe: ['src/features/licences/billing-reader.ts'],
  nodemailer: ['src/features/mails'],
  '@photostructure/sqlite': ['src/storage/sqlite'],
  'prom-client': ['src/app'],
  pino: ['src/kernel'],
  '@opentelemetry/api': ['src/app/tracing'],
  '@opentelemetry/sdk-trace-base': ['src/app/tracing'],
  '@opentelemetry/exporter-trace-otlp-http': ['src/app/tracing'],
  '@opentelemetry/resources': ['src/app/tracing'],
  '@node-rs/argon2': ['src/features/people/password-hashing.ts'],
  'lru-cache': [
    'src/kernel',
    'src/features',
    'src/storage',
    'src/delivery',
    'src/upstream',
    'src/media',
    'src/ownership',
    'src/http',
  ],
  preact: ['src/pages', 'src/features'],
  'preact-render-to-string': ['src/pages'],
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

  test('a module imports only itself and the modules of a lower rank', () => {
    const upwards = relativeImports.flatMap(({ file, to }) => {
      const from = moduleOf(file);
      const imported = moduleOf(to);
      if (from === undefined || imported === undefined || from === imported) return [];
      if (imported.rank < from.rank || from.besides?.[to] !== undefined) return [];
      return [`${file} -> ${to}`];
    });
    expect(upwards).toEqual([]);
  });

  test('parts with a table of their own import only what it names', () => {
    const broken = relativeImports.flatMap(({ file, to }) => {
      const part = strict.find(({ at }) => within(file, at));
      if (part === undefined || within(to, part.at) || part.may.some((place) => within(to, place))) return [];
      return [`${file} may not import ${to}: ${part.why}`];
    });
    expect(broken).toEqual([]);
  });

  const roomOf = (file: string): string | null => /^src\/features\/([\w-]+)\//.exec(file)?.[1] ?? null;
  const betweenRooms = relativeImports.filter(
    ({ file, to }) => roomOf(file) !== null && roomOf(to) !== null && roomOf(file) !== roomOf(to),
  );

  test('a feature reaches another one only through its index.ts', () => {
    const past = betweenRooms.filter(({ to }) => !/^src\/features\/[\w-]+\/index\.ts$/.test(to));
    expect(past).toEqual([]);
  });

  test('the arrows between features have no circle', () => {
    const arrows = betweenRooms.map(({ file, to }) => ({ file: roomOf(file) ?? '', to: roomOf(to) ?? '' }));
    expect(circles(arrows)).toEqual([]);
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

  // A reader who adds or renames a name sees all that the file takes from there.
  test('what a file takes from one module stands together', () => {
    const scattered = files.flatMap((file) => {
      const taken = parseSync(file, asText(file)).module.staticImports.map(
        ({ moduleRequest }) => moduleRequest.value,
      );
      const again = taken.filter((module, n) => module !== taken[n - 1] && taken.indexOf(module) < n);
      return again.map((module) => `${file}: ${module}`);
    });
    expect(scattered).toEqual([]);
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

  test('a channel type never imports another one, only threads', () => {
    const kinds = ['chatapp', 'photoapp', 'pagechat'].map((kind) => `src/rules/channels/${kind}.ts`);
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
        'src/pages/client', // a browser has its own clock
        'src/media/download.ts', // a socket's own idle limit, which has no other name
      ]),
    ).toEqual([]);
  });

  test('only config reads the environment', () => {
    expect(offenders(/process\.env\b/, ['config', 'src/simulator', 'src/app/demo'])).toEqual([]);
  });

  test('a channel type is named only in its own module', () => {
    const homes = /^src\/(rules\/channels\/(chatapp|photoapp|pagechat)\.ts$|upstream\/(chatapp|threads)\/)/;
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
