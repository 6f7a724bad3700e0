/** The files that start a cluster: every setting exists and is valid, every path is served. [operator-interface §1, §2, §3] */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { placeholders } from '../../config/placeholders.ts';
import { readSettings, settingNames } from '../../config/settings.ts';
import { livePath } from '../../src/features/live/subscribers.ts';
import { kindOf } from '../../src/rules/channels/kinds.ts';
import { channelTypes } from '../../src/rules/vocabulary.ts';
import { routeTable } from '../../src/features/route-table.ts';
import { freePort } from '../support/ports.ts';
import { testWithProgram } from '../support/programs.ts';

const root = join(import.meta.dirname, '../..');
const asText = (file: string): string => readFileSync(join(root, file), 'utf8');
const paths = routeTable.map(({ path }) => path);
const secrets = {
  CLUSTER_SECRET: 'c'.repeat(32),
  ADMIN_TOKEN: 'a'.repeat(32),
  ENCRYPTION_KEYS: Buffer.alloc(32, 1).toString('base64'),
};
const ownApp = {
  UPSTREAM_APP_ID: '1',
  UPSTREAM_APP_SECRET: 's',
  UPSTREAM_VERIFY_TOKEN: 't',
  UPSTREAM_SIGNUP_CONFIG_ID: 'c',
};
const ours = (names: readonly string[]): string[] =>
  names.filter((name) => !['NODE_ENV', 'POD_IP'].includes(name) && !settingNames.includes(name));

describe('config/compose', () => {
  const folder = 'config/compose';
  const text = asText(`${folder}/compose.yml`).replaceAll(
    /\$\{(\w+):\?[^}]*\}/g,
    (_, name: string) => new Map(Object.entries(secrets)).get(name) ?? 'no such secret',
  );
  const compose = parse(text, { merge: true });
  const services = compose.services;
  const nodes = ['node-1', 'node-2', 'node-3'].map((name) => ({ name, ...services[name] }));

  test('has three nodes, Redis, a MongoDB replica set, the simulator and a load balancer', () => {
    expect(Object.keys(services).toSorted()).toEqual(
      ['balancer', 'mongodb', 'node-1', 'node-2', 'node-3', 'redis', 'simulator'].toSorted(),
    );
    expect(services.mongodb.command).toContain('--replSet');
  });

  test.each(nodes)('$name starts with its environment', ({ name, environment }) => {
    expect(ours(Object.keys(environment))).toEqual([]);
    const settings = readSettings(environment);
    expect(settings).toMatchObject({ nodeId: name, host: '127.0.0.1', internalUrl: `http://${name}:3100` });
    expect(new URL(settings.mongodbUri ?? '').hostname).toBe('mongodb');
    expect(new URL(settings.redisUrl ?? '').hostname).toBe('redis');
  });

  test('the nodes differ only in their names', () => {
    const alike = nodes.map(({ environment }) => ({ ...environment, NODE_ID: '', INTERNAL_URL: '' }));
    expect(alike).toEqual(alike.map(() => alike[0]));
  });

  test('a node has the time to drain', () => {
    const { drainTimeoutMs } = readSettings(nodes[0]?.environment ?? {});
    for (const { stop_grace_period: grace } of nodes)
      expect(Number.parseInt(grace, 10) * 1_000).toBeGreaterThan(drainTimeoutMs + 3_000);
  });

  test("no secret is in the file, and the page's command generates all of them", () => {
    const [, line = ''] =
      /^```sh\n(node -e .*?) > config\/compose\/\.env$/m.exec(asText('docs/operating/deploying.md')) ?? [];
    const [, script = ''] = /^node -e '(.*)'$/.exec(line) ?? [];
    const made = execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    const env = Object.fromEntries(
      made
        .trim()
        .split('\n')
        .map((each) => each.split(/=(.*)/).slice(0, 2)),
    );
    expect(Object.keys(env).toSorted()).toEqual(Object.keys(secrets).toSorted());
    expect(() => readSettings({ ...nodes[0]?.environment, ...env })).not.toThrow();
    for (const ignore of ['.gitignore', '.dockerignore'])
      expect(asText(ignore).split('\n')).toContain(`${folder}/.env`);
  });

  test('mounted files and build contexts exist', () => {
    const files = ['haproxy.cfg', 'simulator.Dockerfile', 'simulator.Dockerfile.dockerignore'];
    expect(files.filter((file) => !existsSync(join(root, folder, file)))).toEqual([]);
    const copied = [...asText(`${folder}/simulator.Dockerfile`).matchAll(/^COPY (.+) \S+$/gm)].flatMap(
      ([, from = '']) => from.split(' '),
    );
    expect(copied.filter((from) => !existsSync(join(root, from)))).toEqual([]);
    const letIn = asText(`${folder}/simulator.Dockerfile.dockerignore`).split('\n');
    expect(copied.filter((from) => !letIn.includes(`!${from}`))).toEqual([]);
  });

  test('the balancer checks a path that is served, and lists every node, ready or not', () => {
    const haproxy = asText(`${folder}/haproxy.cfg`);
    const [, asked = ''] = /option httpchk GET (\S+)/.exec(haproxy) ?? [];
    expect(paths).toContain(asked);
    const backends = haproxy.split(/^backend /m).slice(1);
    expect(backends).toHaveLength(2);
    for (const backend of backends) {
      const servers = [...backend.matchAll(/^ {2}server (\S+) (\S+)$/gm)].map(([, , at = '']) => at);
      expect(servers).toEqual(nodes.map(({ name, environment }) => `${name}:${environment.PORT}`));
    }
  });
});

test.each([
  ['passes for 200', 200, 0],
  ['fails for 503', 503, 1],
  ['fails when nothing listens', null, 1],
])("the image's health check %s", async (_, status, exitCode) => {
  const [, command = ''] = /^HEALTHCHECK .* CMD (.+)$/m.exec(asText('Dockerfile')) ?? [];
  const asked: (string | undefined)[] = [];
  const server = createServer(({ url }, res) => {
    asked.push(url);
    res.writeHead(status ?? 500).end();
  });
  const port = await freePort();
  if (status !== null) await once(server.listen(port, '127.0.0.1'), 'listening');
  try {
    const child = spawn('/bin/sh', ['-c', command], { env: { ...process.env, PORT: String(port) } });
    expect(await once(child, 'exit')).toEqual([exitCode, null]);
    expect(asked).toEqual(status === null ? [] : ['/healthz']);
  } finally {
    server.close();
  }
});

test('both balancers bring the requests of an API key to one node, and those without one to any', () => {
  expect(asText('config/compose/haproxy.cfg')).toMatch(/balance hdr\(X-API-Key\)\n  hash-type consistent\n/);
  const nginx = asText('config/nginx/trunkline.conf');
  expect(nginx).toMatch(
    /map \$http_x_api_key \$trunkline_key \{\n  default \$http_x_api_key;\n  ''      \$request_id;/,
  );
  expect(nginx).toMatch(/hash \$trunkline_key consistent;/);
});

test('config/nginx lists the nodes of compose, and repeats nothing that was sent', () => {
  const text = asText('config/nginx/trunkline.conf').replaceAll(/#.*$/gm, '');
  const servers = [...text.matchAll(/^ {2}server (\S+) /gm)].map(([, at = '']) => at);
  expect(servers).toEqual(['node-1:3000', 'node-2:3000', 'node-3:3000']);
  expect(text).toMatch(/proxy_next_upstream error timeout;/);
  expect(text).not.toContain('non_idempotent');
  expect(text).toMatch(/proxy_set_header X-Forwarded-For \$remote_addr;/);
});

test('proxies let the largest file through to where it is uploaded, and pass it on while it arrives [faults: 384]', () => {
  const largest = Math.max(...channelTypes.flatMap((type) => Object.values(kindOf(type).uploadLimits)));
  const isEnough = (mib: string | undefined): boolean => Number(mib) * 1024 * 1024 > largest + 128 * 1024;
  const [, address = '', body = ''] =
    /location ~ (\S+) \{\n([^}]*)\}/.exec(asText('config/nginx/trunkline.conf')) ?? [];
  const isFor = new RegExp(address);
  expect(['/api/v1/media', '/portal/channels/c1/send'].filter((path) => !isFor.test(path))).toEqual([]);
  expect(['/api/v1/media/m1', '/api/v1/messages/send'].filter((path) => isFor.test(path))).toEqual([]);
  expect(isEnough(/client_max_body_size (\d+)m;/.exec(body)?.[1])).toBe(true);
  expect(body).toContain('proxy_request_buffering off;');
  const files = parseAllDocuments(asText('config/kubernetes/services.yaml'))
    .map((each) => each.toJS())
    .find(({ metadata }) => metadata.name === 'trunkline-files');
  const forFiles = files.spec.rules[0].http.paths.map(({ path }: { path: string }) => path);
  expect(forFiles).toEqual(['/api/v1/media', '/portal/channels']);
  const own = 'nginx.ingress.kubernetes.io';
  expect(isEnough(files.metadata.annotations[`${own}/proxy-body-size`].slice(0, -1))).toBe(true);
  expect(files.metadata.annotations[`${own}/proxy-request-buffering`]).toBe('off');
});

describe('config/kubernetes', () => {
  const folder = 'config/kubernetes';
  const files = readdirSync(join(root, folder)).filter(
    (file) => !['kustomization.yaml', 'secret.yaml'].includes(file),
  );
  const documents = files.flatMap((file) =>
    parseAllDocuments(asText(`${folder}/${file}`)).map((each) => each.toJS()),
  );
  const the = (kind: string) => documents.find((document) => document.kind === kind);
  const deployment = the('Deployment');
  const pod = deployment.spec.template;
  const [container] = pod.spec.containers;

  test('kustomization names every file', () => {
    const { resources } = parse(asText(`${folder}/kustomization.yaml`));
    expect(resources.toSorted()).toEqual(
      files.map((file) => file.replace('secret.example', 'secret')).toSorted(),
    );
  });

  test('a pod starts with its environment', () => {
    const env = { ...the('ConfigMap').data, ...the('Secret').stringData };
    const own = container.env.map(({ name }: { name: string }) => name);
    expect(ours([...Object.keys(env), ...own])).toEqual([]);
    const filledIn = Object.fromEntries(Object.entries(env).filter(([name]) => !(name in placeholders)));
    const settings = readSettings({
      ...filledIn,
      ...secrets,
      ...ownApp,
      BASE_URL: 'https://api.example.com',
      NODE_ID: 'trunkline-5d8f7-x2x9q',
      INTERNAL_URL: 'http://10.0.0.7:3100',
    });
    expect(settings).toMatchObject({ host: '0.0.0.0', internalHost: '0.0.0.0', allowInsecure: false });
    const ports = container.ports.map(({ containerPort }: { containerPort: number }) => containerPort);
    expect(ports).toEqual([settings.port, settings.internalPort, settings.adminPort]);
  });

  test('what an operator has to fill in is refused as it stands', () => {
    const env: Record<string, string> = { ...the('ConfigMap').data, ...the('Secret').stringData };
    expect(() => readSettings(env)).toThrow(/ is the placeholder of config\/kubernetes/);
    const published = Object.entries(placeholders).flatMap(([name, values]) =>
      (env[name] ?? '') in values ? [name] : [],
    );
    expect(published.toSorted()).toEqual(Object.keys(placeholders).toSorted());
  });

  test('probes use paths that are served; the liveness probe depends on nothing outside the pod', () => {
    const asked = (probe: string): string => container[probe].httpGet.path;
    expect(
      ['startupProbe', 'livenessProbe', 'readinessProbe'].filter((probe) => !paths.includes(asked(probe))),
    ).toEqual([]);
    expect([asked('livenessProbe'), asked('readinessProbe')]).toEqual(['/healthz', '/readyz']);
    expect(paths).toContain(pod.metadata.annotations['prometheus.io/path']);
  });

  test('a pod has the time to drain', () => {
    const { drainTimeoutMs } = readSettings({ UPSTREAM_URL: 'http://127.0.0.1:1' });
    const notice = 5_000;
    expect(container.lifecycle.preStop.exec.command.join(' ')).toContain(String(notice));
    expect(pod.spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(notice + drainTimeoutMs + 3_000);
  });

  test('budget, autoscaler, service and network policy select these pods', () => {
    const labels = pod.metadata.labels;
    expect(deployment.spec.selector.matchLabels).toEqual(labels);
    expect(the('PodDisruptionBudget').spec).toEqual({ maxUnavailable: 1, selector: { matchLabels: labels } });
    expect(the('Service').spec.selector).toEqual(labels);
    expect(the('NetworkPolicy').spec.podSelector.matchLabels).toEqual(labels);
    const { scaleTargetRef, minReplicas } = the('HorizontalPodAutoscaler').spec;
    expect([scaleTargetRef.kind, scaleTargetRef.name]).toEqual([deployment.kind, deployment.metadata.name]);
    expect(minReplicas).toBeGreaterThan(1);
    expect(container.resources.requests.cpu).toBeDefined(); // the autoscaler needs it
  });

  test("every path is public except for the operators'", () => {
    const reachable: string[] = the('Ingress').spec.rules[0].http.paths.map(
      ({ path }: { path: string }) => path,
    );
    const first = (path: string): string => `/${path.split('/')[1]}`;
    const inside = ['/admin', '/operators', '/healthz', '/readyz', '/metrics'];
    const outside = [...new Set([...paths, livePath].map(first))].filter((path) => !inside.includes(path));
    expect(reachable.toSorted()).toEqual(outside.toSorted());
  });

  testWithProgram('kubectl', 'kubectl builds it', (kubectl) => {
    const place = mkdtempSync(join(tmpdir(), 'trunkline-kustomize-'));
    cpSync(join(root, folder), place, { recursive: true });
    cpSync(join(place, 'secret.example.yaml'), join(place, 'secret.yaml'));
    const built = execFileSync(kubectl, ['kustomize', place], { encoding: 'utf8', stdio: 'pipe' });
    rmSync(place, { recursive: true });
    const kinds = [...built.matchAll(/^kind: (\w+)$/gm)].map(([, kind = '']) => kind);
    expect(new Set(kinds)).toEqual(new Set(documents.map(({ kind }) => kind)));
  });
});

describe('config/systemd', () => {
  const unit = asText('config/systemd/trunkline.service');

  // A line of EnvironmentFile= wins over Environment=, whatever their order.
  test('a copy of example.env as /etc/trunkline/env overrides nothing that the unit sets', () => {
    const listed = [...asText('config/example.env').matchAll(/^([A-Z0-9_]+)=/gm)].map(([, name]) => name);
    const [, set = ''] = /^Environment=(.*)$/m.exec(unit) ?? [];
    expect(set.split(' ').filter((pair) => listed.includes(pair.split('=')[0]))).toEqual([]);
    expect(unit).toMatch(/^ExecStart=\/usr\/bin\/env DATA_DIR=\/var\/lib\/trunkline trunkline start$/m);
  });

  // Node reads the machine's addresses over AF_NETLINK; the guard of webhooks needs them.
  test('the unit allows every family of sockets that the service opens [faults: 282]', () => {
    const [, families = ''] = /^RestrictAddressFamilies=(.*)$/m.exec(unit) ?? [];
    expect(families.split(' ').toSorted()).toEqual(['AF_INET', 'AF_INET6', 'AF_NETLINK', 'AF_UNIX']);
  });
});
