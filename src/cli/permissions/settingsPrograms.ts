/**
 * Decides how to start the programs named in settings. The user has approved the command, but once files have changed
 * without the user's approval, what the command loads from the workspace may be the model's work. Until the user has
 * reviewed it, it is confined like the model's own commands; without a sandbox, the user is asked. See
 * docs/decisions/hooks.md.
 */
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute } from 'node:path';
import { statOf } from '../../disk/fileLookups.ts';
import { pathOutside } from '../../disk/ownPrograms.ts';
import { isInside, realpath } from '../../disk/paths.ts';
import { unmoved } from '../../disk/settingsPaths.ts';
import { gitRunsPrograms } from '../../permissions/lookups/gitPrograms.ts';
import type {
  Access,
  PermissionAnswer,
  PermissionBasis,
  PermissionMode,
  TurnQuestion,
} from '../../protocol/permissions.ts';
import type { CommandSandbox } from '../../protocol/sandbox.ts';
import {
  type ChangeReview,
  type ConfinedRun,
  type SettingsProgram,
  type SettingsPrograms,
  type SettingsRun,
  scriptOf,
} from '../../protocol/settingsPrograms.ts';
import { sandboxNotes } from '../../tools/outcomes.ts';
import { readOnlyEnvironment } from '../../tools/shell/childEnvironment.ts';
import { makeScratch } from '../../tools/shell/scratch.ts';
import { createChangeTracker } from './changeTracker.ts';
import type { Permissions } from './permissions.ts';
import {
  confinedAdvice,
  heldProgram,
  type ProgramConcern,
  programQuestion,
  quotedCommand,
} from './programWords.ts';
import { createScriptCheck, type ScriptCheck } from './scriptCheck.ts';
import type { CodePlace, CodeRun } from './workspaceCode.ts';

/** The parts of an open session that programs need. */
export interface ProgramSession {
  readonly sandbox: Pick<CommandSandbox, 'state' | 'confine'>;
  readonly permissions: Pick<Permissions, 'effects' | 'matches'>;
  readonly mode: () => PermissionMode;
  /** Shows the user a warning. */
  readonly warn: (text: string) => void;
  /** Tells the model before its next request; absent if the session is only read. */
  readonly tell?: ((text: string) => void) | undefined;
  /** Absent if there is no user to ask. */
  readonly ask?:
    | ((question: Omit<TurnQuestion, 'agentId'>, signal: AbortSignal) => Promise<PermissionAnswer>)
    | undefined;
}

/** The same for all sessions. */
interface ProgramPlaces {
  readonly root: string;
  readonly home: string;
  readonly additionalDirectories: readonly string[];
  /** See `sandbox.allowWrite`. */
  readonly allowWrite: readonly string[];
  /** Sandboxed commands write there, and programs outside the sandbox may see what they leave. */
  readonly temporary: readonly string[];
  readonly dataRoot: string;
  /** True if nothing about the session may be stored, such as paths of changed files. */
  readonly isEphemeral: boolean;
  readonly now: () => number;
  /** Commands that run outside the sandbox, from the user's own or managed settings. */
  readonly excluded: readonly string[];
  readonly newId: () => string;
  /** The user has not trusted the folder: programs of their own settings must not run its code unconfined. */
  readonly isUntrusted?: boolean;
}

/** A call that may change files and that the user did not approve itself. */
interface UnapprovedCall {
  readonly access: Access;
  readonly basis: PermissionBasis;
  readonly mode: PermissionMode;
}

export interface LiveSettingsPrograms extends SettingsPrograms {
  /** The user's review of changes that they did not approve. */
  readonly review: ChangeReview;
  /** Called before such a call runs, which must wait for it. Never rejects. */
  noteUnapproved(call: UnapprovedCall): Promise<void>;
  /**
   * Called when a command of the model has started; returns a function to call when its processes have ended. Never
   * throws.
   */
  commandStarted(started: {
    readonly command: string;
    readonly cwd: string;
    readonly basis: PermissionBasis;
  }): (() => void) | undefined;
  /** See `ScriptCheck.editing`. */
  readonly editing: ScriptCheck['editing'];
  /** See `ChangeTracker.settled`. */
  settled(): Promise<void>;
  /** Called if files were changed in this way before the session was resumed, last at this time in milliseconds. */
  noteEarlier(at: number): void;
  /** Uses the sandbox and the user of this session from now on. */
  enter(session: ProgramSession): void;
}

export function createSettingsPrograms(places: ProgramPlaces): LiveSettingsPrograms {
  let session: ProgramSession | undefined;
  const answers = new Map<string, Promise<boolean | undefined>>();
  const [root, ...added] = [realpath(places.root), ...places.additionalDirectories.map(realpath)];
  const opened = unmoved(places.allowWrite).map(realpath);
  // A temporary folder that contains the home holds the user's own files.
  const realHome = realpath(places.home);
  const temporary = places.temporary.map(realpath).filter((folder) => !isInside(realHome, folder));
  const tracker = createChangeTracker({
    ...{ dataRoot: places.dataRoot, home: realHome, workspace: [root, ...added], opened },
    keepsPaths: !places.isEphemeral,
    now: places.now,
    onProblem: (text) => session?.warn(text),
  });

  const scripts = createScriptCheck(places, places.excluded, places.newId);

  const decide = async (program: SettingsProgram): Promise<SettingsRun> => {
    if (session?.mode() === 'bypassPermissions') return outside;
    const script = await scripts.stateOf(program, (question) => askedOf(session, question, program.signal));
    if (script.type === 'changed') return { ...script, type: 'held' };
    const changed = await tracker.changedFolders();
    const isForeign = places.isUntrusted === true && isOwn(program) && mayLoad(textOf(program), root);
    const concern = script.type === 'unknown' ? 'unknown' : changed === undefined ? 'untrusted' : 'changed';
    const unconfined = unconfinedRun(program);
    if (concern === 'untrusted' && !isForeign) return unconfined;
    if (session === undefined)
      return heldProgram(program, concern, 'there is no session with a sandbox that it could run in', true);
    const { permissions, sandbox } = session;
    const text = textOf(program);
    const code =
      concern === 'unknown'
        ? 'workspace'
        : await codeOf(program, text, { changed, isOwn: isForeign }, permissions);
    if (await permissions.matches(places.excluded, text)) return outside;
    if (code === 'none') return unconfined;
    const state = await sandbox.state();
    if (state.type !== 'on') return askUser(program, text, { code, concern }, state.reason, session);
    const run = await confine(program, text, concern, session, places).catch((error: unknown) =>
      heldProgram(program, concern, messageOf(error), true),
    );
    if (run.type === 'held') return run;
    const access = { type: 'command', command: text, cwd: program.cwd } as const;
    const onEnd = tracker.started({ role: program.role, command: text }, access);
    return {
      ...run,
      release() {
        run.release();
        onEnd();
      },
    };
  };

  /**
   * Runs a program outside the sandbox. In an untrusted folder, the user's own scripts are not read; instead, they get
   * an environment in which git starts nothing that the folder names, and Python (3.11 or later) loads no modules from
   * it.
   */
  const unconfinedRun = (program: SettingsProgram): SettingsRun => {
    if (places.isUntrusted !== true || !isOwn(program)) return outside;
    const env = readOnlyEnvironment(program.env, [root, ...added]);
    return { type: 'outside', env: { ...env, PYTHONSAFEPATH: '1' } };
  };

  /** The folders from which the program loads code, among the changed ones or those of the project. */
  const codeOf = async (
    program: SettingsProgram,
    text: string,
    { changed, isOwn }: { readonly changed: readonly string[] | undefined; readonly isOwn: boolean },
    permissions: ProgramSession['permissions'],
  ): Promise<CodeRun> => {
    const workspace = changed === undefined ? [root] : [...new Set([...changed, ...opened, ...temporary])];
    // This loads the command tables, which opening a session does not need.
    const { codeRunBy } = await import('./workspaceCode.ts');
    const { isSteeringName, ledPrograms } = await import('../../tools/shell/steeringVariables.ts');
    const { root: project, home } = places;
    const effects: CodePlace['effects'] = (command, cwd) => permissions.effects(command, cwd, workspace);
    // The user's own variables apply in any folder; only those with which programs find code may lead into this one.
    const leading = Object.entries(program.env).filter(
      ([name]) => changed !== undefined || name === 'PATH' || isSteeringName(name),
    );
    const led = ledPrograms(Object.fromEntries(leading), {
      home,
      isOutside: (path) => isOutside(path, workspace, home),
      isSocket: (path) => statOf(path)?.isSocket() === true,
    });
    const place: CodePlace = {
      workspace,
      root: project,
      home,
      effects,
      env: program.env,
      isLed: led !== 'none',
      isOwn,
    };
    if (led === 'all') return 'workspace';
    return codeRunBy(text, program.cwd, place, program.args === undefined);
  };

  const askUser = async (
    program: SettingsProgram,
    text: string,
    { code, concern }: { readonly code: CodeRun; readonly concern: ProgramConcern },
    why: string,
    entered: ProgramSession,
  ): Promise<SettingsRun> => {
    // The script is protected: it cannot have changed without approval.
    if (code === 'script') return outside;
    const key = JSON.stringify([program.role, text, concern]);
    const asked =
      answers.get(key) ??
      askedOf(entered, programQuestion(program, concern, text, places.newId()), program.signal);
    answers.set(key, asked);
    const isAllowed = await asked;
    if (isAllowed === undefined) answers.delete(key);
    return isAllowed === true ? outside : heldProgram(program, concern, why, isAllowed === undefined);
  };

  return {
    review: tracker,
    async noteUnapproved({ basis, mode, access }) {
      if (!isUnasked(basis, mode)) return;
      if (access.type === 'write' || access.type === 'unknown' || access.type === 'command')
        await tracker.note(access);
    },
    commandStarted({ basis, command, cwd }) {
      if (!isUnasked(basis, session?.mode())) return undefined;
      return tracker.started({ command }, { type: 'command', command, cwd });
    },
    editing: scripts.editing,
    settled: tracker.settled,
    noteEarlier: tracker.noteEarlier,
    enter(entered) {
      session = entered;
    },
    admit: (program) =>
      decide(program).catch((error: unknown) => heldProgram(program, 'changed', messageOf(error), true)),
  };
}

const textOf = (program: SettingsProgram): string =>
  program.args === undefined ? program.command : scriptOf(program);

/** True for a program of the user's settings, unless its starter keeps it from loading code of the folder. */
const isOwn = ({ ofFolder, isApart }: SettingsProgram): boolean => ofFolder === undefined && isApart !== true;

/**
 * True if a harmless command may run code of the folder in which it starts: Python loads modules from there (`-c`,
 * `-m`), and git starts what the repository's settings name.
 */
const mayLoad = (text: string, root: string): boolean =>
  /\b(?:python|pypy)/.test(text) || (/\bgit\b/.test(text) && gitRunsPrograms(root));

/** The user's answer; undefined: there is no user to ask, or the question was withdrawn. */
async function askedOf(
  session: ProgramSession | undefined,
  question: Omit<TurnQuestion, 'agentId'>,
  signal = new AbortController().signal,
): Promise<boolean | undefined> {
  if (session?.ask === undefined) return undefined;
  const { behavior } = await session.ask(question, signal);
  return behavior === 'allow' ? true : signal.aborted ? undefined : false;
}

const isOutside = (path: string, workspace: readonly string[], home: string): boolean =>
  isAbsolute(path) &&
  !/^\/proc(?:\/|$)/.test(path) &&
  pathOutside({ PATH: path, HOME: home }, workspace, realpath) === path;

function isUnasked(basis: PermissionBasis, mode: PermissionMode | undefined): boolean {
  return basis !== 'user' && basis !== 'own' && basis !== 'read-only' && mode !== 'bypassPermissions';
}

const outside = { type: 'outside' } as const satisfies SettingsRun;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function confine(
  { role, cwd, env }: SettingsProgram,
  command: string,
  concern: ProgramConcern,
  { sandbox, warn, tell }: Pick<ProgramSession, 'sandbox' | 'warn' | 'tell'>,
  { root, dataRoot }: Pick<ProgramPlaces, 'root' | 'dataRoot'>,
): Promise<ConfinedRun> {
  const scratch = await makeScratch(tmpdir());
  // The sandbox hides the empty folder of servers.
  const start = isInside(cwd, dataRoot) ? scratch : cwd;
  const entering = start === cwd ? '' : `${scriptOf({ command: 'cd', args: [start] })} && `;
  const remove = (): void => void rm(scratch, { recursive: true, force: true }).catch(() => undefined);
  try {
    const grant = { basis: 'rule', reason: 'settings' } as const;
    const where = { cwd: start, env, scratch } as const;
    const confinement = await sandbox.confine({ command, ...where, grant, isKeptInside: true });
    if (confinement.refusal !== undefined) throw new Error(confinement.refusal);
    return {
      type: 'confined',
      launch: (shell, script) => confinement.launch(shell, ['-c', `${entering}${script}`]),
      advice(output, exitCode) {
        return confinedAdvice(command, concern, confinement.blocked(output, exitCode, new Set())?.reason);
      },
      release() {
        const { forUser, forModel } = sandboxNotes(confinement);
        const name = [role, quotedCommand(command)].join(' ').trim();
        for (const change of forUser) warn(`Your ${name} ${change}.`);
        for (const change of forModel) tell?.(`The user's ${name} ran in the sandbox. ${change}`);
        void confinement.share();
        confinement.release();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw new Error(`it could not be confined in ${root}: ${messageOf(error)}`, { cause: error });
  }
}
