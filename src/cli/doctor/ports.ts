/** The doctor's access to this machine, for the subcommand and `/doctor`. */
import { execFile } from 'node:child_process';
import type { LoadedSettings } from '../../config/types.ts';
import { runGit } from '../../disk/ownGit.ts';
import { wireOf } from '../../model/endpoint.ts';
import { environmentSend } from '../../model/http/environmentSend.ts';
import { askServer } from '../../model/servers/askServer.ts';
import { probeModel } from '../../model/servers/probeModel.ts';
import type { ModelProbe, ServerAnswer } from '../../protocol/models/server.ts';
import type { SandboxState } from '../../protocol/sandbox.ts';
import { visibleLine } from '../../protocol/text/visible.ts';
import { probeMachine } from '../../sandbox/probe.ts';
import { withoutKeys } from '../../tools/shell/childEnvironment.ts';
import { createEndpoints } from '../models/endpoints.ts';
import { listerFor } from '../models/modelChoice.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { gitFor, ownEnvironment } from '../process/lookUp.ts';
import { probeOptions } from '../sandbox.ts';
import { findModelAccess, type ModelAccess } from '../startup.ts';
import type { TerminalFacts } from './terminalFacts.ts';

/** Timeouts in milliseconds: for a program to print its version, and for a server to list its models. */
const PROGRAM_MS = 3000;
const SERVER_MS = 10_000;
/** Maximum characters of an error message of git. */
const MAX_PROBLEM = 700;
/** Total timeout of the short prompts, in milliseconds: a local server may have to load the model. */
const PROBE_MS = 120_000;

interface Given {
  readonly place: AppPaths;
  readonly loaded: LoadedSettings;
  readonly isTrusted: boolean;
  readonly terminal: DoctorPorts['terminal'];
  readonly network: NetworkPorts | null;
}

export function createDoctorPorts(given: Given): DoctorPorts {
  const { versions, execPath, platform, arch } = process;
  return {
    ...given,
    node: { version: versions.node, path: execPath, platform: `${platform} ${arch}` },
    run: (program, args) => firstLine(program, args, given.place),
    git: (args) => askGit(args, given.place),
    sandbox: async () => (await probeMachine(probeOptions(given.place, given.loaded))).state,
    now: () => performance.now(),
  };
}

/**
 * `model`: the model in use, if it is not the one in the settings. `isProbing`: short prompts may be sent to it. `env`:
 * the environment with proxies and certificates.
 */
export async function createNetworkPorts(
  loaded: LoadedSettings,
  model: string | undefined,
  isProbing: boolean,
  env: AppPaths['env'],
): Promise<NetworkPorts> {
  const settings = model === undefined ? loaded.settings : { ...loaded.settings, model };
  const found = await findModelAccess({ ...loaded, settings }, false, listerFor(env));
  const send = environmentSend(env);
  const probe =
    isProbing && found.type === 'ready'
      ? (): Promise<ModelProbe> =>
          probeModel({
            baseUrl: settings.baseUrl,
            apiKey: found.apiKey,
            headers: settings.headers,
            model: found.model,
            wire: wireOf(settings.wire, settings.baseUrl),
            signal: AbortSignal.timeout(PROBE_MS),
            send,
          })
      : undefined;
  return {
    access: found,
    ask: (apiKey) =>
      askServer({
        baseUrl: settings.baseUrl,
        apiKey,
        headers: settings.headers,
        ...(found.type === 'ready' ? { model: found.model } : {}),
        send,
        signal: AbortSignal.timeout(SERVER_MS),
      }),
    probe,
  };
}

function firstLine(program: string, args: readonly string[], place: AppPaths): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = {
      cwd: place.cwd,
      env: withoutKeys(ownEnvironment(place)),
      timeout: PROGRAM_MS,
      killSignal: 'SIGKILL',
      maxBuffer: 100_000,
    } as const;
    execFile(program, [...args], options, (error, stdout) =>
      resolve(error === null ? (stdout.split('\n')[0] ?? '').trim() : undefined),
    );
  });
}

async function askGit(args: readonly string[], place: AppPaths): Promise<GitAnswer> {
  const git = gitFor({ ...place, env: withoutKeys(place.env) });
  const call = { cwd: place.root, args, timeoutMs: PROGRAM_MS, maxBytes: 100_000 };
  const { code, stdout, problem } = await runGit(git, call);
  const output = code === 0 ? stdout.toString().trim() : undefined;
  return { output, problem: visibleLine(problem, MAX_PROBLEM) };
}

/** If the model belongs to a named provider, that provider is checked, with its own key. */
export async function withModelsEndpoint(
  loaded: LoadedSettings,
  place: AppPaths,
  model = loaded.settings.model,
): Promise<LoadedSettings> {
  const { settings, misread: _, ...rest } = loaded;
  const { endpoint, id } = createEndpoints({ ...place, settings }).find(model ?? '');
  const { name, baseUrl, wire, headers, key } = endpoint;
  if (name === undefined) return loaded;
  const answer = await key.get();
  const apiKey = 'key' in answer ? (answer.key ?? null) : null;
  const source = `providers.${name}`;
  return {
    ...rest,
    settings: { ...settings, baseUrl, wire, headers, apiKey, model: id },
    sources: { ...rest.sources, baseUrl: source, apiKey: key.source ?? source },
  };
}

// Inputs of the checks.

export interface DoctorPorts {
  readonly place: AppPaths;
  readonly loaded: LoadedSettings;
  readonly isTrusted: boolean;
  readonly node: { readonly version: string; readonly path: string; readonly platform: string };
  /** Undefined if the output is not a terminal. */
  readonly terminal: TerminalFacts | undefined;
  /** Null if no network requests may be sent. */
  readonly network: NetworkPorts | null;
  /** Returns the first line that a program prints; undefined if the program is missing or does not answer. */
  run(program: string, args: readonly string[]): Promise<string | undefined>;
  /** Runs git in the project. */
  git(args: readonly string[]): Promise<GitAnswer>;
  sandbox(): Promise<SandboxState>;
  /** Monotonic time in milliseconds. */
  now(): number;
}

/** What git printed; undefined if it failed, for a reason that is one line. */
interface GitAnswer {
  readonly output: string | undefined;
  readonly problem: string;
}

interface NetworkPorts {
  readonly access: ModelAccess;
  ask(apiKey: string | undefined): Promise<ServerAnswer>;
  /** Sends a few short prompts; undefined if that is disabled. */
  readonly probe: (() => Promise<ModelProbe>) | undefined;
}
