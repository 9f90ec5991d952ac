/** The language servers of a session. Their code is loaded with the first edit, and only if they are turned on. */
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import type { LoadedSettings } from '../config/types.ts';
import { realpath } from '../disk/paths.ts';
import { unmoved } from '../disk/settingsPaths.ts';
import type { LanguageServers } from '../lsp/LanguageServers.ts';
import type { EditChecks, LanguageServerPort } from '../protocol/diagnostics.ts';
import type { CommandSandbox } from '../protocol/sandbox.ts';
import { findShell } from '../tools/builtinTools.ts';
import { childEnvironment } from '../tools/shell/childEnvironment.ts';
import { makeScratch } from '../tools/shell/scratch.ts';
import type { OwnCompiledCode } from './permissions/compiledCode.ts';
import type { AppPaths } from './process/appPaths.ts';
import { keyVariables } from './process/commandVariables.ts';
import { unwritablePath } from './sandbox.ts';

interface LanguageServerParts {
  readonly place: AppPaths;
  readonly loaded: LoadedSettings;
  readonly sandbox: CommandSandbox;
  /** Changes the environment of servers outside the sandbox. */
  readonly compiledCode: OwnCompiledCode;
  readonly isTrusted: boolean;
  readonly isSensitive: (path: string) => boolean;
}

export interface SessionServers extends LanguageServerPort {
  stop(): void;
}

/** Undefined if they are turned off. */
export function openLanguageServers(parts: LanguageServerParts): SessionServers | undefined {
  if (!parts.loaded.settings.lsp) return undefined;
  let opened: Promise<LanguageServers> | undefined;
  let isStopped = false;
  const servers = (): Promise<LanguageServers> => {
    opened ??= createServers(parts);
    return opened;
  };
  return {
    open() {
      let opening: Promise<EditChecks> | undefined;
      let checks: EditChecks | undefined;
      return {
        async check(edit, signal) {
          if (isStopped) return undefined;
          opening ??= servers().then((one) => one.open());
          checks = await opening;
          return checks.check(edit, signal);
        },
        takeLate: () => checks?.takeLate() ?? [],
      };
    },
    status: async () => (await servers()).status(),
    stop() {
      isStopped = true;
      void opened?.then((one) => one.stop());
    },
  };
}

async function createServers(parts: LanguageServerParts): Promise<LanguageServers> {
  const { place, loaded, isSensitive } = parts;
  const { sandbox: rules } = loaded.settings;
  const workspaces = () => [realpath(place.root), ...unmoved(loaded.added.directories())];
  const path = unwritablePath([...workspaces(), ...rules.allowWrite], place);
  const { LanguageServers } = await import('../lsp/LanguageServers.ts');
  return new LanguageServers({
    ...{ path, isSensitive },
    sandbox: outsideWith(parts),
    get workspaces() {
      return workspaces();
    },
    version: place.version,
    env: { ...childEnvironment(place.env, keyVariables(loaded), ''), PATH: path },
    shell: findShell({}),
    makeScratch: () => makeScratch(tmpdir()),
    refusal: () => refusalIn(parts),
    newFence: () => randomBytes(6).toString('base64url'),
  });
}

/** The sandbox, with another environment for servers that it does not confine. */
export function outsideWith({
  sandbox,
  compiledCode,
}: {
  readonly sandbox: Pick<CommandSandbox, 'state' | 'confine'>;
  readonly compiledCode: OwnCompiledCode;
}): Pick<CommandSandbox, 'confine'> {
  return {
    async confine(request) {
      const isOn = (await sandbox.state()).type === 'on';
      return sandbox.confine(isOn ? request : { ...request, env: compiledCode(request.env) });
    },
  };
}

/**
 * A server reads what the folder configures and every file that the code names, and quotes it in its messages: it is
 * confined, or the user has trusted the folder and asked for servers.
 */
export async function refusalIn({
  loaded,
  sandbox,
  isTrusted,
}: {
  readonly loaded: Pick<LoadedSettings, 'untrusted' | 'sources' | 'files'>;
  readonly sandbox: Pick<CommandSandbox, 'state'>;
  readonly isTrusted: boolean;
}): Promise<string | undefined> {
  if (!isTrusted && loaded.untrusted.length > 0) return 'not started: this folder is not trusted';
  const state = await sandbox.state();
  if (state.type === 'on') return undefined;
  if (!isTrusted) return 'not started: there is no sandbox, and this folder is not trusted';
  return isAskedFor(loaded)
    ? undefined
    : 'not started: there is no sandbox. With "lsp": true in your own settings, servers start without one';
}

/** True if the user turned servers on; a folder's settings cannot let them run without a sandbox. */
function isAskedFor({ sources, files }: Pick<LoadedSettings, 'sources' | 'files'>): boolean {
  return (
    sources.lsp !== undefined &&
    !files.some(({ name, layer }) => name === sources.lsp && (layer === 'project' || layer === 'local'))
  );
}
