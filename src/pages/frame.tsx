/** A page within its navigation, as the portal and the operators' console show it. */
import type { ComponentChildren, VNode } from 'preact';
import { groupBy } from '../kernel/group-by.ts';
import { Icon, isIconName, Mark } from './icon.tsx';
import { NoticeBody } from './notice.tsx';
import type { Notice } from './notice.tsx';
import { ZoneNote } from './time.tsx';
import type { Place } from '../rules/portal-paths.ts';

export interface FramedPage {
  title: string;
  /** Default: the title. */
  heading?: ComponentChildren;
  /** Path of the navigation entry that this page belongs to. */
  at: string;
  /** Link back. */
  back?: ComponentChildren;
  status?: number;
  /** It has a `main` of its own, as the viewer of the API does: a page may have one. */
  holdsMain?: boolean;
  /** It has no times, whose zone would be said. */
  isTimeless?: boolean;
  children: ComponentChildren;
}

interface FrameProps {
  /** Whose pages these are. */
  brand: string;
  places: readonly Place[];
  /** The field that searches everywhere. */
  search?: ComponentChildren;
  /** Name of the person, and the button to sign out. */
  person?: ComponentChildren;
  /** Shown above every page. */
  notes?: readonly VNode[];
  page: FramedPage;
}

export function Frame({ brand, places: shown, search, person, notes = [], page }: FrameProps): VNode {
  const { title, heading = title, at, back, holdsMain = false, isTimeless = false, children } = page;
  const [Content, Top] = holdsMain ? (['div', 'section'] as const) : (['main', 'div'] as const);
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header>
        <p class="brand" title={brand}>
          <Mark />
          <span>{brand}</span>
        </p>
        {/* On a phone it shows what follows it. */}
        <details class="menu">
          <summary>
            <Icon name="menu" />
            Menu
          </summary>
        </details>
        {search}
        <nav aria-label="Portal">
          {groupsOf(shown).map(([group, places]) => (
            <>
              {group === '' ? null : <h2>{group}</h2>}
              <ul>
                {places.map((place) => (
                  <li>
                    <PlaceLink place={place} isHere={place.path === at} />
                  </li>
                ))}
              </ul>
            </>
          ))}
        </nav>
        {person === undefined ? null : <div class="person">{person}</div>}
      </header>
      <Content id="main" class="content">
        {holdsMain && notes.length > 0 ? <section aria-label="Notes">{notes}</section> : notes}
        {back === undefined ? null : <p class="back">{back}</p>}
        <Top class="top" aria-label={holdsMain ? title : undefined}>
          <h1>{heading}</h1>
          {isTimeless ? null : <ZoneNote />}
        </Top>
        {children}
      </Content>
    </div>
  );
}

function PlaceLink({ place: { path, name, icon }, isHere }: { place: Place; isHere: boolean }): VNode {
  return (
    <a href={path} aria-current={isHere ? 'page' : undefined}>
      {isIconName(icon) ? <Icon name={icon} /> : null}
      <span>{name}</span>
    </a>
  );
}

/** In the order of their first places; those without a group are first. */
function groupsOf(shown: readonly Place[]): [group: string, places: Place[]][] {
  return [...groupBy(shown, ({ group }) => group ?? '')];
}

/**
 * A notice at the navigation entry with the longest path that contains the URL; its link leads there, unless the notice has a link of its
 * own.
 */
export function noticePage(all: readonly Place[], url: string, notice: Notice): FramedPage {
  const [path = ''] = url.split('?');
  const above = all.filter((place) => `${path}/`.startsWith(`${place.path}/`));
  const [place] = above.toSorted((a, b) => b.path.length - a.path.length);
  const way = place === undefined ? notice.way : (notice.way ?? { path: place.path, word: place.name });
  return {
    title: notice.title,
    at: place?.path ?? '',
    children: <NoticeBody notice={way === undefined ? notice : { ...notice, way }} />,
  };
}
