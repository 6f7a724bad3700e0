/** The operators' console, for people who run the service for many accounts and are called at night. */
import type { World } from '../../world.ts';
import type { OpenRoute } from '../../../http/route.ts';
import { fault } from '../../../kernel/faults.ts';
import { consolePath } from '../../../pages/paths.ts';
import { accountActions } from './account-actions.tsx';
import { accountPage } from './account.tsx';
import { accountListPages } from './accounts.tsx';
import { quarantinePages } from './quarantine.tsx';
import { auditPages } from './audit.tsx';
import { channelPages } from './channel.tsx';
import { consoleSignInPages } from './sign-in.tsx';
import { givenUpPages } from './given-up.tsx';
import { operatorMailPages } from './mails.tsx';
import { licencePages } from './licence.tsx';
import { nodePages } from './nodes.tsx';
import { nowPages } from './now.tsx';
import { platformPages } from './platform.tsx';
import { personPages } from './person.tsx';
import { operatorPage } from './session.ts';

export const operatorPages: readonly OpenRoute<World>[] = [
  ...consoleSignInPages,
  ...nowPages,
  ...nodePages,
  ...accountListPages,
  accountPage,
  ...accountActions,
  ...licencePages,
  ...personPages,
  ...givenUpPages,
  ...channelPages,
  ...quarantinePages,
  ...operatorMailPages,
  ...platformPages,
  ...auditPages,
  operatorPage({
    get: `${consolePath}/{page}`,
    name: 'consoleUnknown',
    open: () => {
      throw fault('unknown_path');
    },
  }),
];
