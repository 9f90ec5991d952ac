/** The hooks for a change of the session's folder, or of a file in it that hooks watch. */
import { basename } from 'node:path';
import type { HookPort } from '../../protocol/extensions/hooks.ts';
import type { SessionHooks } from './sessionHooks.ts';

interface PlaceHooks {
  /** Watches the files that hooks name; called again when a hook names others. */
  watch(paths: readonly string[]): void;
  /** Runs the hooks if the current folder has changed since the last call. */
  settle(signal: AbortSignal): Promise<void>;
  close(): void;
}

interface PlaceHookDeps {
  readonly port: Pick<HookPort, 'watch'>;
  readonly hooks: () => SessionHooks;
  readonly cwd: () => string;
  /** False for a subagent, which has its own folder but watches nothing. */
  readonly watches: boolean;
  readonly onError: (error: unknown) => void;
}

export function createPlaceHooks({ port, hooks, cwd, watches, onError }: PlaceHookDeps): PlaceHooks {
  const closing = new AbortController();
  let last = cwd();
  let paths: readonly string[] = [];
  const watch = (): void => {
    if (!watches || closing.signal.aborted) return;
    port.watch({ cwd: last, paths }, ({ path, event }) => {
      const fields = { file_path: path, event };
      hooks()
        .run('FileChanged', { subject: basename(path), fields }, closing.signal)
        .catch(onError);
    });
  };
  return {
    watch(named) {
      paths = named;
      watch();
    },
    async settle(signal) {
      const now = cwd();
      if (now === last) return;
      const fields = { old_cwd: last, new_cwd: now };
      last = now;
      watch();
      await hooks().run('CwdChanged', { fields }, signal);
    },
    close() {
      closing.abort();
    },
  };
}
