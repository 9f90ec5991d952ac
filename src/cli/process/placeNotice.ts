import type { Place } from './appPaths.ts';

/** Where everything would count as one project: said before the work begins. Undefined for ordinary folders. */
export function placeNotice({ root, home }: Pick<Place, 'root' | 'home'>): string | undefined {
  const what =
    root === '/' || /^[A-Za-z]:\\$/.test(root)
      ? 'the root folder'
      : root === home
        ? 'your home folder'
        : undefined;
  return what === undefined
    ? undefined
    : `This is ${what}: all of it counts as the project, for searches and for file access. Start clawdcode in a project folder instead.`;
}
