/** Hooks that really run, in a temporary folder. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { readHooks } from '../../src/config/hooks.ts';
import { HookRunner, type HookRunnerDeps } from '../../src/hooks/HookRunner.ts';
import type { HookScope, HookSource } from '../../src/protocol/extensions/hooks.ts';
import { temporaryFolder } from '../temporaryFolder.ts';

/** Hooks as a settings file has them. */
export function sources(hooks: unknown, scope: HookScope = 'user'): readonly HookSource[] {
  return readHooks(hooks, scope, 'config.json').hooks;
}

/** A node program as a shell command. */
export function node(script: string): string {
  return `'${process.execPath}' -e '${script.replaceAll("'", "'\\''")}'`;
}

/** Matcher groups with one command. */
export function command(text: string, more: object = {}, matcher?: string): unknown[] {
  return [
    { ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: 'command', command: text, ...more }] },
  ];
}

export async function bench(
  hooks: unknown,
  deps: Partial<HookRunnerDeps> = {},
  scope: HookScope = 'user',
): Promise<{ runner: HookRunner; root: string }> {
  const root = deps.root ?? temporaryFolder();
  let ids = 0;
  const runner = new HookRunner(sources(hooks, scope), {
    root,
    env: { PATH: process.env.PATH ?? '', HOME: root },
    shell: '/bin/sh',
    variableFolder: join(root, 'variables'),
    fetch: () => Promise.reject(new Error('no network in this test')),
    covers: async () => true,
    newId: () => `id-${++ids}-abcdefgh`,
    now: () => Date.now(),
    ...deps,
  });
  onTestFinished(() => runner.close());
  return { runner, root };
}
