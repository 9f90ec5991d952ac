/** Where absolute, normalised paths lie. Looks at the text alone: links are the caller's to resolve. */

import { sep } from 'node:path';

/** True if `path` is `folder` or inside it. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** The number of components of a path, to sort outer places before inner ones. */
export function depthOf(path: string): number {
  return path.split('/').filter((part) => part !== '').length;
}
