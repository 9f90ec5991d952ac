import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { createThreadClient, type ThreadClient } from '../../context/index.ts';
import { type PermissionEngine, unchecked } from '../../permissions/PermissionEngine.ts';
import type { DeniedPlaces } from '../../sandbox/options.ts';
import type { DeniedQuery } from '../permissions/deniedPlaces.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { startThread } from '../process/threads.ts';

type Method = keyof PermissionEngine;
type Question<M extends Method> = {
  readonly id: number;
  readonly type: M;
  readonly args: Parameters<PermissionEngine[M]>;
};

/** A request to the thread: a method of the engine, or a search for what rules deny reading, and its arguments. */
export type EngineQuestion =
  | { [M in Method]: Question<M> }[Method]
  | { readonly id: number; readonly type: 'findDenied'; readonly args: readonly [DeniedQuery] };

interface ThreadedEngineOptions {
  /**
   * Milliseconds after which an unanswered request ends the thread. Default: several times what the lookups may take.
   */
  readonly maxMs?: number;
  /** Called with the reason if the thread could not answer. */
  readonly onFailure?: (reason: string) => void;
}

const MAX_MS = 20_000;

const TOO_LONG =
  'the search for files that Read deny rules cover takes too long. Run it again, or name folders in the rules';

/**
 * Runs the permission engine in a thread, started by the first request: scanning a large tree or asking git would block
 * the screen for too long. If the thread cannot answer, the command counts as not understood.
 */
export class ThreadedEngine implements PermissionEngine {
  readonly #thread: ThreadClient<EngineQuestion>;
  readonly #maxMs: number;
  readonly #onFailure: (reason: string) => void;
  #prepared: Promise<boolean> | undefined;

  constructor(start: () => Worker, { maxMs = MAX_MS, onFailure = () => {} }: ThreadedEngineOptions = {}) {
    this.#thread = createThreadClient(start, 'the thread that decides about commands');
    this.#maxMs = maxMs;
    this.#onFailure = onFailure;
  }

  /** Starts the thread, so that the first decision does not wait for it. */
  prepare(): void {
    this.#prepared ??= this.matches([':'], ':', '/');
  }

  decide(...args: Parameters<PermissionEngine['decide']>): ReturnType<PermissionEngine['decide']> {
    return this.#ask({ type: 'decide', args }, async (isLate) => {
      const decision = await (await withoutGrammar()).decide(...args);
      return isLate ? unchecked(decision, args[1]) : decision;
    });
  }

  explain(...args: Parameters<PermissionEngine['explain']>): ReturnType<PermissionEngine['explain']> {
    return this.#ask({ type: 'explain', args }, async () => (await withoutGrammar()).explain(...args));
  }

  matches(...args: Parameters<PermissionEngine['matches']>): ReturnType<PermissionEngine['matches']> {
    return this.#ask({ type: 'matches', args }, async () => (await withoutGrammar()).matches(...args));
  }

  gitUse(...args: Parameters<PermissionEngine['gitUse']>): ReturnType<PermissionEngine['gitUse']> {
    return this.#ask({ type: 'gitUse', args }, async () => (await withoutGrammar()).gitUse(...args));
  }

  replacesPackages(
    ...args: Parameters<PermissionEngine['replacesPackages']>
  ): ReturnType<PermissionEngine['replacesPackages']> {
    return this.#ask({ type: 'replacesPackages', args }, async () =>
      (await withoutGrammar()).replacesPackages(...args),
    );
  }

  installs(...args: Parameters<PermissionEngine['installs']>): ReturnType<PermissionEngine['installs']> {
    return this.#ask({ type: 'installs', args }, async () => (await withoutGrammar()).installs(...args));
  }

  steps(...args: Parameters<PermissionEngine['steps']>): ReturnType<PermissionEngine['steps']> {
    return this.#ask({ type: 'steps', args }, async () => (await withoutGrammar()).steps(...args));
  }

  effects(...args: Parameters<PermissionEngine['effects']>): ReturnType<PermissionEngine['effects']> {
    return this.#ask({ type: 'effects', args }, async () => (await withoutGrammar()).effects(...args));
  }

  propose(...args: Parameters<PermissionEngine['propose']>): ReturnType<PermissionEngine['propose']> {
    return this.#ask({ type: 'propose', args }, async () => (await withoutGrammar()).propose(...args));
  }

  /** See `createDeniedPlaces`; a search that takes too long lets no command run. */
  findDenied(query: DeniedQuery): Promise<DeniedPlaces> {
    return this.#ask({ type: 'findDenied', args: [query] }, async (isLate) => {
      if (isLate) return { paths: [], whole: [], refusal: TOO_LONG };
      const { createDeniedPlaces } = await import('../permissions/deniedPlaces.ts');
      return createDeniedPlaces()(query);
    });
  }

  /** Ends the thread; another request would start it again. */
  close(): Promise<void> {
    return this.#thread.close();
  }

  async #ask<T>(
    question: Parameters<ThreadClient<EngineQuestion>['ask']>[0],
    /** `isLate`: true if the time limit was exceeded. */
    otherwise: (isLate: boolean) => Promise<T>,
  ): Promise<T> {
    let isLate = false;
    const limit = setTimeout(() => {
      isLate = true;
      this.#onFailure(`no decision within ${this.#maxMs} ms`);
      void this.#thread.close();
    }, this.#maxMs);
    limit.unref();
    try {
      return (await this.#thread.ask(question)) as T;
    } catch (error) {
      this.#onFailure(error instanceof Error ? error.message : String(error));
      return await otherwise(isLate);
    } finally {
      clearTimeout(limit);
    }
  }
}

/** Has no shell grammar, so it asks about every command that no rule denies. Loaded only if the thread fails. */
async function withoutGrammar(): Promise<PermissionEngine> {
  const { InProcessEngine } = await import('../../permissions/InProcessEngine.ts');
  return new InProcessEngine('', {});
}

/** Creates an engine that decides about commands in a thread. `onFailure` is called with the reason if it cannot. */
export function createPermissionEngine(
  { packageRoot, env }: Pick<AppPaths, 'packageRoot' | 'env'>,
  onFailure: (reason: string) => void,
): ThreadedEngine {
  const wasm = grammarFolder(packageRoot);
  const file = join(packageRoot, 'dist/permissionWorker.js');
  return new ThreadedEngine(
    () =>
      startThread(file, {
        name: 'permissions',
        maxHeapMb: MAX_HEAP_MB,
        workerData: { wasm, env: { ...env } },
      }),
    { onFailure },
  );
}

/** Several times what indexing a very large repository takes. */
const MAX_HEAP_MB = 512;

/** Returns the folder to which the build copies the shell grammar. */
export function grammarFolder(packageRoot: string): string {
  return join(packageRoot, 'dist');
}
