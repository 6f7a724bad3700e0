import { describeStore } from './conformance/index.ts';
import { openFresh } from './embedded/open.ts';

describeStore('embedded store', openFresh);
