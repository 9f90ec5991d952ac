/** Whether a mistake hides which endpoint was meant: the default is somebody else, who must not get what was meant for it. Pure. */
import type { LoadedSettings, Problem } from './types.ts';

type Read = Pick<LoadedSettings, 'files' | 'problems' | 'sources'> & {
  /** Whether the folder's files count: of one that is not trusted, none may hold anything up. */
  readonly trusted: boolean;
};

/**
 * The mistake, or undefined where an endpoint is named that counts, or where nothing hints at one. It is in `baseUrl`, in a
 * name that was probably meant for it, or in a file of which nothing can be read.
 */
export function misreadEndpoint({ files, problems, sources, trusted }: Read): Problem | undefined {
  if (sources.baseUrl !== undefined) return undefined;
  const isUnread = ({ layer }: Problem): boolean =>
    files.some((file) => file.layer === layer && file.state === 'broken');
  return problems
    .filter(({ layer }) => trusted || (layer !== 'project' && layer !== 'local'))
    .find((problem) => problem.key === 'baseUrl' || problem.meant === 'baseUrl' || isUnread(problem));
}
