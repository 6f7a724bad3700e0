import { pick } from './fields.ts';
import { GraphError, missingObject } from './graph-error.ts';
import type { Person } from './model.ts';
import { nodeTypes } from './node-types.ts';
import type { Token } from './tokens.ts';
import type { World } from './world.ts';

/** A sender's profile, or the error that withholds it [upstream protocol 7]. */
export function profileOf(world: World, token: Token, person: Person, fields: string | undefined): unknown {
  const home = world.nodes.get(person.home ?? '');
  const page = home?.type === 'photo' ? home.page : home;
  if (page?.type !== 'page' || token.kind !== 'page' || token.subject !== page.id)
    throw missingObject(person.id);
  switch (person.profile) {
    case 'none':
      throw new GraphError({
        code: 100,
        subcode: 2018218,
        message: '(#100) No profile available for this user.',
      });
    case 'no_consent':
      throw new GraphError({
        code: 230,
        status: 400,
        message: 'User consent is required to access user profile',
      });
    case 'not_permitted':
      throw new GraphError({
        code: 100,
        subcode: 2018247,
        message: '(#100) Insufficient permission to access user profile.',
      });
    case 'gone':
      throw missingObject(person.id);
    case 'error':
      throw new GraphError({ code: 2, isTransient: true });
    case 'empty':
      return { id: person.id };
    default:
      return pick(
        fullProfile(world, person),
        fields,
        person.kind === 'pagechat' ? nodeTypes.pageUser : nodeTypes.photoUser,
      );
  }
}

function fullProfile(world: World, person: Person): Record<string, unknown> {
  const [first = '', ...rest] = person.name.split(' ');
  const picture = `${world.publicUrl}/files/cake.jpg?of=${person.id}`;
  const bare = person.profile === 'nulls';
  if (person.kind === 'pagechat') {
    return {
      id: person.id,
      name: person.name,
      first_name: first,
      last_name: rest.join(' '),
      profile_pic: bare ? null : picture,
      ...person.shown,
    };
  }
  return {
    id: person.id,
    name: bare ? null : person.name,
    username: person.username,
    profile_pic: bare ? null : picture,
    follower_count: 210,
    is_verified_user: false,
    is_user_follow_business: true,
    is_business_follow_user: false,
    ...person.shown,
  };
}
