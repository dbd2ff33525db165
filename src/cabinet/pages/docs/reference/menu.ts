import { placeOf } from '../contents.ts';
import type { DocsLink, DocsLinkGroup } from '../docs-frame.tsx';
import { type ApiDocument, operationGroups } from './api-document.ts';

const index = '/docs/api';

/** The last page of the reference, which describes the named schemas. */
export const schemasLink: DocsLink = { path: `${index}/objects`, title: 'Objects' };

/** The path of the page that describes an operation. */
export function operationPath(id: string): string {
  return `${index}/${id}`;
}

/** The pages below the index: the operations in groups, in the order of the index, then the page of objects. */
export function referenceMenu(api: ApiDocument): readonly DocsLinkGroup[] {
  const groups = operationGroups(api).map(({ name, operations }) => ({
    name,
    links: operations.map(({ id, summary }) => ({ path: operationPath(id), title: summary ?? id })),
  }));
  return [...groups, { name: 'Data', links: [schemasLink] }];
}

/** Submenu and adjacent pages of a page below the index. */
export function placeInReference(api: ApiDocument, path: string) {
  const groups = referenceMenu(api);
  const links = groups.flatMap((group) => group.links);
  const at = links.findIndex((link) => link.path === path);
  const { page, next } = placeOf(index);
  return {
    previous: links[at - 1] ?? page,
    next: links[at + 1] ?? next,
    subMenu: { below: index, groups },
  };
}
