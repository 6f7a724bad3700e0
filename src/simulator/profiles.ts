import { pick } from './fields.ts';
import { GraphError, missingObject } from './graph-error.ts';
import type { Person } from './model.ts';
import { nodeTypes } from './node-types.ts';
import { hasFeature } from './permissions.ts';
import type { Token } from './tokens.ts';
import type { World } from './world.ts';

/** A sender's profile, or the error that withholds it [upstream protocol 7]. */
export function profileOf(world: World, token: Token, person: Person, fields: string | undefined): unknown {
  const home = world.nodes.get(person.home ?? '');
  const page = home?.type === 'photo' ? home.page : home;
  if (page?.type !== 'page' || token.kind !== 'page' || token.subject !== page.id)
    throw missingObject(person.id);
  if (isWithheld(world, token, person)) throw notPermitted();
  if (!mayBeNamed(world, person)) return { id: person.id };
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
        status: world.settings.page_statuses ? 403 : 400,
        message: 'User consent is required to access user profile',
      });
    case 'not_permitted':
      throw notPermitted();
    // Meta's review bot is such a person.
    case 'unresolved':
      throw new GraphError({
        code: 9010,
        type: 'IGApiException',
        message: '(#9010) No matching Instagram user',
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

function notPermitted(): GraphError {
  return new GraphError({
    code: 100,
    subcode: 2018247,
    message: '(#100) Insufficient permission to access user profile.',
  });
}

// Instagram "User Profile API", 2026-04-01.
const photoScopes = [
  'instagram_basic',
  'instagram_manage_messages',
  'pages_manage_metadata',
  'pages_read_engagement',
  'pages_show_list',
];

function isWithheld({ settings }: World, { scopes }: Token, { kind }: Person): boolean {
  return kind === 'photoapp' && settings.photo_rights && !photoScopes.every((name) => scopes.includes(name));
}

/** Without the feature, Messenger shows people's ids only. */
function mayBeNamed({ settings }: World, { kind }: Person): boolean {
  return kind === 'photoapp' || hasFeature(settings, 'business_asset_user_profile_access');
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
