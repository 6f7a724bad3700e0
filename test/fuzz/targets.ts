/** The entry points for untrusted bytes. [SECURITY.md, faults: I9] */
import type { OpenTarget } from './target.ts';
import type { TargetName, MistakenName } from './target-names.ts';
import { openFiles } from './targets/files.ts';
import { openLinks } from './targets/links.ts';
import { openHanging, openBlocking, openThrowing } from './targets/mistaken.ts';
import { openOAuth } from './targets/oauth.ts';
import { openPages } from './targets/pages.ts';
import { openReceivers } from './targets/receivers.ts';
import { openRedis } from './targets/redis.ts';
import { openApi, openBilling, openFraming, openUpstream } from './targets/service.ts';
import { openTemplates } from './targets/templates.ts';
import { openUploads } from './targets/uploads.ts';

export const targets: Readonly<Record<TargetName | MistakenName, OpenTarget>> = {
  upstream: openUpstream,
  api: openApi,
  framing: openFraming,
  uploads: openUploads,
  pages: openPages,
  files: openFiles,
  receivers: openReceivers,
  templates: openTemplates,
  oauth: openOAuth,
  billing: openBilling,
  links: openLinks,
  redis: openRedis,
  throwing: openThrowing,
  blocking: openBlocking,
  hanging: openHanging,
};
