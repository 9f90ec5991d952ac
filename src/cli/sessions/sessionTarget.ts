/** Which session the flags ask for. */
import type { SessionTarget } from '../../agent/types.ts';
import type { CliOptions } from '../options.ts';

/** Undefined where a person has to pick one: `--resume` without a name. */
export function targetOf(options: CliOptions): SessionTarget | undefined {
  if (options.continue) return withFlags({ type: 'latest' }, options);
  if (options.resume === true) return undefined;
  if (options.resume !== undefined) return withFlags({ type: 'id', id: options.resume }, options);
  const { sessionId } = options;
  return withFlags({ type: 'new', ...(sessionId === undefined ? {} : { sessionId }) }, options);
}

/** What `--fork-session` and `--name` say of the first session that is opened, however it was chosen. */
export function withFlags(
  target: SessionTarget,
  { forkSession, name }: Pick<CliOptions, 'forkSession' | 'name'>,
): SessionTarget {
  const title = name?.replace(/\s+/g, ' ').trim();
  return {
    ...target,
    ...(forkSession && target.type !== 'new' ? { mode: 'fork' } : {}),
    ...(title === undefined || title === '' ? {} : { title }),
  };
}
