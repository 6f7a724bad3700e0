/** The assets and people that a new simulator has (src/simulator/README.md); the demo uses them too. By channel type. */
import { addresses, people } from '../../src/app/demo/people.ts';
import { byChannelType } from '../../src/rules/vocabulary.ts';

export const asset = addresses;
export const person = byChannelType((type) => people[type][0]);
