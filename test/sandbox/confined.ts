/** A project with a home around it, and the Bash tool in a real sandbox; everything is in a temporary folder. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { pathsToHide } from '../../src/config/openedPaths.ts';
import { resolveSettingsPath } from '../../src/disk/settingsPaths.ts';
import { isReadOnlyForCommands } from '../../src/permissions/files/protectedNames.ts';
import { isSensitive } from '../../src/permissions/files/sensitive.ts';
import { InProcessEngine } from '../../src/permissions/InProcessEngine.ts';
import { gitSettingsRunPrograms } from '../../src/permissions/lookups/gitPrograms.ts';
import type { Grant } from '../../src/protocol/permissions.ts';
import type { CommandSandbox } from '../../src/protocol/sandbox.ts';
import type { TaskPort } from '../../src/protocol/tasks.ts';
import type { ToolContext, ToolOutcome } from '../../src/protocol/tools.ts';
import type { SandboxOptions } from '../../src/sandbox/options.ts';
import { type ProbedMachine, type ProbeOptions, probeMachine } from '../../src/sandbox/probe.ts';
import { createCommandSandbox } from '../../src/sandbox/Sandbox.ts';
import { programNames } from '../../src/sandbox/temporary/temporaryNames.ts';
import { SCRATCH_NAME } from '../../src/tools/shell/scratch.ts';
import { grammarFolder } from '../permissions/grammarFolder.ts';
import { openWorkbench } from '../tools/workbench.ts';

export { hasSandbox } from './hasSandbox.ts';

const probed = new Map<string, Promise<ProbedMachine>>();

/** Probes the machine once for all tests, since a probe starts two programs. */
function probeOnce(options: ProbeOptions): Promise<ProbedMachine> {
  const { enabled, mode, platform, machine, path, allowUnixSockets } = options;
  const key = JSON.stringify({ enabled, mode, platform, machine, path, allowUnixSockets });
  const known = probed.get(key) ?? probeMachine(options);
  probed.set(key, known);
  return known;
}

let engine: InProcessEngine | undefined;

/** The real rules about commands, with the real grammar. */
function permissionEngine(): InProcessEngine {
  if (engine !== undefined) return engine;
  const folder = mkdtempSync(join(realpathSync('/tmp'), 'sandbox-grammar-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  engine = new InProcessEngine(grammarFolder(folder), process.env);
  return engine;
}

export interface Confined {
  readonly base: string;
  readonly root: string;
  readonly home: string;
  readonly tmp: string;
  readonly sandbox: CommandSandbox;
  /** The background tasks. */
  readonly tasks: TaskPort;
  run(
    command: string,
    more?: {
      basis?: Grant['basis'];
      hiding?: readonly string[];
      searches?: true;
      background?: boolean;
      cwd?: string;
      timeout?: number;
      signal?: AbortSignal;
    },
  ): Promise<ToolOutcome>;
  /** Another tool of the same session. */
  call(tool: string, input: unknown): Promise<ToolOutcome>;
  close(): Promise<void>;
}

export interface Given {
  readonly options?: Partial<SandboxOptions>;
  /** Every command may change git folders, as git commands may. */
  readonly mayChangeGit?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly context?: Partial<ToolContext>;
  readonly shell?: string;
  /** The workspace folders, instead of the project. */
  readonly workspace?: () => readonly string[];
  readonly temporary?: (folders: { readonly base: string; readonly home: string }) => readonly string[];
  readonly systemHome?: string;
  /** Like the settings of the same name: resolved at the start. */
  readonly allowWrite?: readonly string[];
  readonly denyRead?: readonly string[];
  readonly allowRead?: readonly string[];
  /** `denyRead` of managed settings. */
  readonly denyReadAlways?: readonly string[];
  readonly denyWrite?: (root: string) => readonly string[];
  readonly executedFiles?: (root: string) => readonly string[];
  readonly readByRule?: (folders: { readonly home: string }) => readonly string[];
  /** The user's PATH. */
  readonly programs?: (folders: { readonly home: string }) => string;
}

export async function confined({
  options,
  env = {},
  context = {},
  shell,
  ...places
}: Given = {}): Promise<Confined> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'sandbox-')));
  const [root, home, tmp] = [join(base, 'home/project'), join(base, 'home'), join(base, 'tmp')];
  for (const folder of [root, tmp, join(home, '.ssh'), join(home, '.clawdcode/projects/p')])
    mkdirSync(folder, { recursive: true });
  writeFileSync(join(home, '.ssh/id_rsa'), 'SECRET-KEY\n');
  writeFileSync(join(home, '.clawdcode/config.json'), 'SECRET-CONFIG\n');
  writeFileSync(join(home, '.netrc'), 'SECRET-NETRC\n');
  writeFileSync(join(home, 'plain.txt'), 'plain\n');
  vi.stubEnv('TMPDIR', tmp);
  const opened = (paths: readonly string[] = []) =>
    paths.map((path) => resolveSettingsPath(path, { home, root }).realPath);
  const fromSettings = {
    allowWrite: opened(places.allowWrite),
    allowRead: opened(places.allowRead),
    denyRead: pathsToHide(places.denyRead ?? [], { home, root }),
    denyReadAlways: pathsToHide(places.denyReadAlways ?? [], { home, root }),
  };
  const facts = () => {
    const [top = root, ...added] = places.workspace?.() ?? [root];
    const localSettingsFile = join(top, '.clawdcode.local.json');
    return {
      mode: 'default',
      rules: [],
      root: top,
      additionalDirectories: added,
      home,
      platform: process.platform,
      localSettingsFile,
    } as const;
  };
  /** Each call starts at the root. */
  let at = root;
  const sandbox = createCommandSandbox({
    mode: 'workspace-write',
    enabled: true,
    platform: process.platform,
    machine: process.arch,
    path: process.env.PATH ?? '',
    node: process.execPath,
    places: () => ({
      workspace: places.workspace?.() ?? [root],
      home,
      systemHome: places.systemHome,
      env: { HOME: home, PATH: places.programs?.({ home }), ...env },
      dataRoot: join(home, '.clawdcode'),
      temporary: places.temporary?.({ base, home }) ?? [tmp],
      ...fromSettings,
      readByRule: places.readByRule?.({ home }) ?? [],
      protectedFiles: places.executedFiles?.(root) ?? [],
      isReadOnlyForCommands: (path) => isReadOnlyForCommands(path, { homes: [home], workspace: [root] }),
      isSensitive,
    }),
    denyWrite: async () => places.denyWrite?.(root) ?? [],
    temporary: { parentName: SCRATCH_NAME, isOfProgram: programNames({}) },
    scratchParent: (scratch) => dirname(scratch),
    environment: { granted: [], isToken: () => false },
    gitNotes: join(home, '.clawdcode/sandbox/git'),
    repositoryNotes: join(home, '.clawdcode/sandbox/repositories.json'),
    secretNotes: join(home, '.clawdcode/sandbox/secrets.json'),
    emptyFile: join(home, '.clawdcode/sandbox/empty'),
    setAsideNotes: join(home, '.clawdcode/sandbox/set-aside'),
    commandNotes: join(home, '.clawdcode/sandbox/commands'),
    caches: {},
    network: {
      verdict: () => 'ask',
      resolve: async () => [],
      localPorts: [],
      forwardPorts: true,
      reservedPorts: () => [],
    },
    limits: { memoryBytes: null, processes: null },
    allowUnixSockets: false,
    probe: probeOnce,
    isBinding: false,
    isExcluded: () => false,
    gitUse: (command, cwd) =>
      places.mayChangeGit === true
        ? { type: 'only', folders: ['/'], isForeign: false }
        : permissionEngine().gitUse(command, cwd, facts()),
    replacesPackages: (command, cwd) => permissionEngine().replacesPackages(command, cwd, facts()),
    steps: async (command, cwd) =>
      places.mayChangeGit === true
        ? [{ command, isConditional: false }]
        : permissionEngine().steps(command, cwd, facts()),
    gitRunsPrograms: gitSettingsRunPrograms,
    ...options,
  });
  const bench = await openWorkbench(
    {
      env: { PATH: process.env.PATH, HOME: home, TMPDIR: tmp, ...env },
      home,
      sandbox,
      ...(shell === undefined ? {} : { shell }),
    },
    {
      root,
      cwd: () => at,
      setCwd: (directory) => {
        at = directory;
      },
      ...context,
    },
  );
  const close = async (): Promise<void> => {
    await bench.close();
    vi.unstubAllEnvs();
    rmSync(base, { recursive: true, force: true });
  };
  onTestFinished(close);
  return {
    ...{ base, root, home, tmp, sandbox, close, tasks: bench.tools.tasks },
    call: (tool, input) => bench.call(tool, input),
    async run(
      command,
      { basis = 'user', hiding, searches, background = false, cwd = root, timeout, signal } = {},
    ) {
      at = cwd;
      const input = {
        command,
        ...(background ? { run_in_background: true } : {}),
        ...(timeout === undefined ? {} : { timeout }),
      };
      const prepared = await bench.prepare('Bash', input, signal);
      if (prepared.type === 'invalid') throw new Error(prepared.message);
      return prepared.run({ basis, ...(hiding && { hiding }), ...(searches && { searches }) });
    },
  };
}
