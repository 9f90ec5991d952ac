/**
 * Shortens lists of changes on disk: an install touches thousands of files, and what is said about them is the same. Of
 * many such paths in one folder, only the first are named; the rest is counted.
 */
import type { RestoreStep } from '../checkpoints.ts';
import { grouped } from '../text/numbers.ts';

/** One path, or the number of others in a folder that are treated in the same way as `step`, the first of them. */
export type StepRow =
  | { readonly type: 'path'; readonly step: RestoreStep }
  | {
      readonly type: 'more';
      readonly count: number;
      /** Absolute path. */
      readonly folder: string;
      readonly step: RestoreStep;
    };

/** Up to this many paths are all named. */
const MAX_NAMED = 20;
/** Of more, this many. */
const NAMED_FIRST = 3;

/** Keeps the order; a count replaces the first path that is not named. `root`: the project's root. */
export function foldSteps(steps: readonly RestoreStep[], root: string): readonly StepRow[] {
  const groups = new Map<string, RestoreStep[]>();
  const placed = steps.map((step) => {
    const key = keyOf(step, root);
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    return { step, group, index: group.push(step) - 1 };
  });
  return placed.flatMap(({ step, group, index }): readonly StepRow[] => {
    if (group.length <= MAX_NAMED || index < NAMED_FIRST) return [{ type: 'path', step }];
    if (index > NAMED_FIRST) return [];
    const rest = group.slice(NAMED_FIRST);
    const folder = rest.reduce((common, { path }) => commonFolder(common, path), step.path);
    return [{ type: 'more', count: rest.length, folder, step }];
  });
}

/** For example "12,345 more in node_modules/". `shown`: how the folder's path, which ends with a slash, is shown. */
export function moreText(
  { count, folder }: Extract<StepRow, { type: 'more' }>,
  shown: (path: string) => string = (path) => path,
): string {
  return `${grouped(count)} more in ${shown(`${folder}/`)}`;
}

/** The same for steps that are alike: in one folder at the top of the project, with the same action for the same reason. */
function keyOf(step: RestoreStep, root: string): string {
  const { path, action, reason = '' } = step;
  const isOfProject = path.startsWith(`${root}/`);
  const end = path.indexOf('/', isOfProject ? root.length + 1 : 1);
  const top = end === -1 ? path : path.slice(0, end);
  return JSON.stringify([top, action, reason.replaceAll(path, ''), resultOf(step)]);
}

/** What must be seen of the new state: links and pipes on their own, and permissions. */
function resultOf({ action, path, from, to }: RestoreStep): unknown {
  if (action === 'refuse' || to === undefined) return undefined;
  if (to.type !== 'file' && to.type !== 'folder') return path;
  return [to.type, from !== undefined && 'mode' in from ? from.mode : undefined, to.mode];
}

/** The folder that contains both, or is one and contains the other. */
function commonFolder(folder: string, path: string): string {
  let common = folder;
  while (path !== common && !path.startsWith(`${common}/`)) common = common.slice(0, common.lastIndexOf('/'));
  return common;
}
