import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { openService } from './service.ts';
import type { Service } from './service.ts';

type Options = Parameters<typeof openService>;

/** The service that the tests of a file share: opened before them, closed after them. Use it inside tests and hooks only. */
export function sharedService(...options: Options): Service {
  return openedBy(options, beforeAll, afterAll);
}

/** As `sharedService`, but each test has one of its own. */
export function serviceForEach(...options: Options): Service {
  return openedBy(options, beforeEach, afterEach);
}

function openedBy(options: Options, before: typeof beforeAll, after: typeof afterAll): Service {
  const service: Service = Object.create(null);
  let opened: Service | undefined;
  before(async () => {
    opened = await openService(...options);
    Object.assign(service, opened);
  });
  after(() => opened?.close());
  return service;
}
