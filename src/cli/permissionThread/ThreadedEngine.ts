import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { type AskedThread, askThread } from '../../context/index.ts';
import { InProcessEngine, type PermissionEngine, unchecked } from '../../permissions/PermissionEngine.ts';
import { startQuietThread } from '../process/threads.ts';

type Method = keyof PermissionEngine;
type Question<M extends Method> = {
  readonly id: number;
  readonly type: M;
  readonly args: Parameters<PermissionEngine[M]>;
};

/** What the thread is asked: a method of the engine and its arguments. */
export type EngineQuestion = { [M in Method]: Question<M> }[Method];

export interface ThreadedEngineOptions {
  /** Milliseconds; a question that takes longer ends the thread. Default: several times what the lookups may take. */
  readonly maxMs?: number;
  /** Hears why the thread could not answer. */
  readonly onFailure?: (reason: string) => void;
}

const MAX_MS = 20_000;

/**
 * The engine in a thread of its own, which begins with the first question: walking a large tree or asking git takes
 * longer than the screen may stand still. Where the thread cannot answer, the command counts as not understood.
 */
export class ThreadedEngine implements PermissionEngine {
  readonly #thread: AskedThread<EngineQuestion>;
  readonly #maxMs: number;
  readonly #onFailure: (reason: string) => void;
  #prepared: Promise<boolean> | undefined;
  /** Has no grammar, so it asks about what no rule denies. */
  readonly #fallback = new InProcessEngine('', {});

  constructor(start: () => Worker, { maxMs = MAX_MS, onFailure = () => {} }: ThreadedEngineOptions = {}) {
    this.#thread = askThread(start, 'the thread that decides about commands');
    this.#maxMs = maxMs;
    this.#onFailure = onFailure;
  }

  /** Begins the thread, so that the first decision does not wait for it. */
  prepare(): void {
    this.#prepared ??= this.matches([':'], ':', '/');
  }

  decide(...args: Parameters<PermissionEngine['decide']>): ReturnType<PermissionEngine['decide']> {
    return this.#ask({ type: 'decide', args }, async (isLate) => {
      const decision = await this.#fallback.decide(...args);
      return isLate ? unchecked(decision, args[1]) : decision;
    });
  }

  explain(...args: Parameters<PermissionEngine['explain']>): ReturnType<PermissionEngine['explain']> {
    return this.#ask({ type: 'explain', args }, () => this.#fallback.explain(...args));
  }

  matches(...args: Parameters<PermissionEngine['matches']>): ReturnType<PermissionEngine['matches']> {
    return this.#ask({ type: 'matches', args }, () => this.#fallback.matches(...args));
  }

  propose(...args: Parameters<PermissionEngine['propose']>): ReturnType<PermissionEngine['propose']> {
    return this.#ask({ type: 'propose', args }, () => this.#fallback.propose(...args));
  }

  async #ask<T>(
    question: Parameters<AskedThread<EngineQuestion>['ask']>[0],
    /** `isLate`: it took too long. */
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

/** Decides about commands in a thread of its own. `onFailure` hears why it could not. */
export function createPermissionEngine(
  packageRoot: string,
  onFailure: (reason: string) => void,
): ThreadedEngine {
  const wasm = grammarFolder(packageRoot);
  const file = join(packageRoot, 'dist/permissionWorker.js');
  return new ThreadedEngine(
    () => startQuietThread(file, { name: 'permissions', maxHeapMb: MAX_HEAP_MB, workerData: { wasm } }),
    { onFailure },
  );
}

/** Several times what the index of a very large repository takes. */
const MAX_HEAP_MB = 512;

/** Where the build puts the shell grammar. */
export function grammarFolder(packageRoot: string): string {
  return join(packageRoot, 'dist');
}
