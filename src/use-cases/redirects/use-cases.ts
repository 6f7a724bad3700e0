import { addRedirect } from './add.ts';
import { listRedirects } from './list.ts';
import { removeRedirect } from './remove.ts';

export const redirectUseCases = { listRedirects, addRedirect, removeRedirect };
