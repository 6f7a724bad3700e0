import { fault } from '../../../kernel/faults.ts';
import { signedInPage } from '../../route.ts';

/** An address below the portal that is no page's: who is signed in is told so within the navigation. */
export const unknownPage = signedInPage({
  get: '/portal/{page}',
  name: 'unknownPage',
  open: () => {
    throw fault('unknown_path');
  },
});
