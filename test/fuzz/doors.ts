/** The entry points for untrusted bytes. [SECURITY.md, faults: I9] */
import type { OpenDoor } from './door.ts';
import type { DoorName, MistakenName } from './door-names.ts';
import { openFiles } from './doors/files.ts';
import { openLinks } from './doors/links.ts';
import { openHanging, openStandingStill, openThrowing } from './doors/mistaken.ts';
import { openOAuth } from './doors/oauth.ts';
import { openReceivers } from './doors/receivers.ts';
import { openRedis } from './doors/redis.ts';
import { openApi, openBilling, openFraming, openUpstream } from './doors/service.ts';
import { openTemplates } from './doors/templates.ts';

export const doors: Readonly<Record<DoorName | MistakenName, OpenDoor>> = {
  upstream: openUpstream,
  api: openApi,
  framing: openFraming,
  files: openFiles,
  receivers: openReceivers,
  templates: openTemplates,
  oauth: openOAuth,
  billing: openBilling,
  links: openLinks,
  redis: openRedis,
  throwing: openThrowing,
  'standing-still': openStandingStill,
  hanging: openHanging,
};
