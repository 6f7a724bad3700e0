/** Who the simulator knows at the start (src/simulator/README.md): as the demo has it. */
import { addresses, people } from '../../src/app/demo/people.ts';
import { byChannelType } from '../../src/domain/vocabulary.ts';

export const asset = addresses;
export const person = byChannelType((type) => people[type][0]);
