import { addBusiness, enterPerson, type BusinessPlan } from './businesses.ts';
import type { World } from './world.ts';

const harbour: BusinessPlan = {
  id: '610000000000003',
  name: 'Harbour Bakery',
  login: '1010000000000008',
  loginName: 'Ada Harbour',
  wabaId: '311200000000001',
  phones: [
    { id: '422300000000002', display: '+1 555-010-0042', dualUse: false },
    { id: '422300000000012', display: '+1 555-010-0052', dualUse: true },
  ],
  pages: [
    {
      id: '520000000000005',
      name: 'Harbour Bakery',
      photoId: '17840000000000006',
      username: 'harbour.bakery',
    },
    { id: '520000000000015', name: 'Harbour West', photoId: '17840000000000016', username: 'harbour.west' },
  ],
  isSubscribed: false,
};

const lantern: BusinessPlan = {
  id: '610000000000103',
  name: 'Lantern Books',
  login: '1010000000000108',
  loginName: 'Bruno Lantern',
  wabaId: '311200000000101',
  phones: [
    { id: '422300000000102', display: '+44 7700 900142', dualUse: false },
    { id: '422300000000112', display: '+44 7700 900152', dualUse: true },
  ],
  pages: [
    { id: '520000000000105', name: 'Lantern Books', photoId: '17840000000000106', username: 'lantern.books' },
    { id: '520000000000115', name: 'Lantern Kids', photoId: '17840000000000116', username: 'lantern.kids' },
  ],
  isSubscribed: false,
};

const people = [
  { name: 'Mia Vogel', username: 'mia.v', phone: '4915900000777', userId: 'DE.20260000000000000042' },
  { name: 'Jonas Brandt', username: 'jonas.b', phone: '4915900000778', userId: 'DE.20260000000000000043' },
];

/** Two separate tenants, and two people known on every channel; the README lists their ids. */
export function seedBusinesses(world: World): void {
  addBusiness(world, harbour);
  addBusiness(world, lantern);
  for (const { login } of [harbour, lantern]) world.roles.add(login);
  people.forEach((person, index) => {
    const common = {
      type: 'person',
      profile: 'full',
      shown: {},
      parentUserId: null,
      portfolio: harbour.id,
      hidesNumber: false,
      name: person.name,
      username: person.username,
    } as const;
    enterPerson(world, { ...common, kind: 'chatapp', id: person.phone, home: null, userId: person.userId });
    [...harbour.pages, ...lantern.pages].forEach((page, place) => {
      // The indexes 0, 1, 2, 3 give the tens 0, 1, 10, 11: the rows of the README's table.
      const tens = (place % 2) * 10 + (place > 1 ? 100 : 0);
      const psid = String(8800000000000001n + BigInt(tens + index));
      const igsid = String(9900000000000007n + BigInt(tens + index));
      world.roles.add(psid).add(igsid);
      enterPerson(world, { ...common, kind: 'pagechat', id: psid, home: page.id, userId: null });
      enterPerson(world, { ...common, kind: 'photoapp', id: igsid, home: page.photoId, userId: null });
    });
  });
}
