/**
 * Decides how to start the programs named in settings. The user has approved the command, but once files have changed
 * without the user's approval, what the command loads from the workspace may be the model's work. Until the user has
 * reviewed it, it is confined like the model's own commands; without a sandbox, the user is asked. See
 * docs/decisions/hooks.md.
 */
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import type { ChangedFile } from '../../config/types.ts';
import { isInside, realpath } from '../../disk/paths.ts';
import { unmoved } from '../../disk/settingsPaths.ts';
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
import { leadsTo, userProgramEnvironment } from '../../tools/shell/childEnvironment.ts';
import { makeScratch } from '../../tools/shell/scratch.ts';
import { type ConfinedCommand, createChangeTracker } from './changeTracker.ts';
import type { Permissions } from './permissions.ts';
import { codeOfOwnProgram, codeOfProgram, textOf } from './programCode.ts';
import {
  confinedAdvice,
  confinedNotice,
  heldProgram,
  type ProgramConcern,
  programQuestion,
  quotedCommand,
} from './programWords.ts';
import { createScriptCheck, type ScriptCheck } from './scriptCheck.ts';
import { partsOf, wordsOf } from './textWords.ts';
import type { CodeRun } from './workspaceCode.ts';

/** The parts of an open session that programs need. */
export interface ProgramSession {
  readonly sandbox: Pick<CommandSandbox, 'state' | 'confine'>;
  readonly permissions: Pick<Permissions, 'effects' | 'installs' | 'matches'>;
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
  readonly addedDirectories: () => readonly string[];
  /** See `sandbox.allowWrite`. */
  readonly allowWrite: readonly string[];
  /** Sandboxed commands write there, and programs outside the sandbox may see what they leave. */
  readonly temporary: readonly string[];
  readonly dataRoot: string;
  /** The user's environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True if nothing about the session may be stored, such as paths of changed files. */
  readonly isEphemeral: boolean;
  readonly now: () => number;
  /** Commands that run outside the sandbox, from the user's own or managed settings. */
  readonly excluded: readonly string[];
  readonly newId: () => string;
  /** Project files that had changed since their approval at the start, and that the user did not approve. */
  readonly declined?: readonly ChangedFile[] | undefined;
  /**
   * False if no program could run what commands change now: then each command counts as changing files, and nothing is
   * looked at. Absent = there is one.
   */
  readonly hasPrograms?: () => boolean;
  /** The user has not trusted the folder: programs of their own settings must not run its code unconfined. */
  readonly isUntrusted?: boolean;
}

/** A call that may change files. */
interface ChangingCall {
  readonly access: Access;
  readonly basis: PermissionBasis;
  readonly mode: PermissionMode;
}

export interface LiveSettingsPrograms extends SettingsPrograms {
  /** The user's review of changes that they did not approve. */
  readonly review: ChangeReview;
  /** Called before such a call runs, which must wait for it: records a change that the user did not approve. Never rejects. */
  noteUnapproved(call: ChangingCall): Promise<void>;
  /**
   * Called when a command of the model has started; returns a function to call when its processes have ended. Never
   * throws.
   */
  commandStarted(
    started: Omit<ConfinedCommand, 'onlyInstalls'> & {
      readonly basis: PermissionBasis;
      /** True if it runs in a sandbox in which it may change files. */
      readonly isConfined: boolean;
    },
  ): (() => void) | undefined;
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
  const { hasPrograms = () => true } = places;
  const answers = new Map<string, Promise<boolean | undefined>>();
  /** Why one of their own programs is confined: the user was told. */
  const told = new Set<ProgramConcern>();
  const root = realpath(places.root);
  const workspaceNow = (): readonly [string, ...string[]] => [
    root,
    ...places.addedDirectories().map(realpath),
  ];
  const opened = unmoved(places.allowWrite).map(realpath);
  // A temporary folder that contains the home holds the user's own files.
  const realHome = realpath(places.home);
  const temporary = places.temporary.map(realpath).filter((folder) => !isInside(realHome, folder));
  const tracker = createChangeTracker({
    ...{ dataRoot: places.dataRoot, home: realHome, opened },
    get workspace() {
      return workspaceNow();
    },
    keepsPaths: !places.isEphemeral,
    ...{ now: places.now, env: places.env },
    onProblem: (text) => session?.warn(text),
  });

  const scripts = createScriptCheck(places, places.excluded, places.newId, places.declined);

  /** Why the program must not simply run outside, if so, and what it may run then. */
  const concernAbout = async (
    program: SettingsProgram,
    changed: readonly string[] | undefined,
    { effects }: ProgramSession['permissions'],
  ): Promise<{ readonly concern: ProgramConcern; readonly code: CodeRun } | undefined> => {
    const place = { root: places.root, home: places.home, effects };
    if (isForeign(program)) {
      const started = { ...program, env: unconfinedRun(program).env ?? program.env };
      // A server that names the folder may load code from there, whatever its own folder.
      const code = program.isApart === true ? 'workspace' : await codeOfOwnProgram(started, place);
      if (code !== 'none') return { concern: 'untrusted', code };
    }
    if (changed === undefined) return undefined;
    const workspace = [...new Set([...changed, ...opened, ...temporary])];
    const code = await codeOfProgram(program, { ...place, workspace });
    return code === 'none' ? undefined : { concern: 'changed', code };
  };

  const decide = async (program: SettingsProgram): Promise<SettingsRun> => {
    const held = scripts.heldSinceStart(program);
    if (held?.type === 'changed') return { ...held, type: 'held' };
    if (session?.mode() === 'bypassPermissions') return outside;
    const script = await scripts.stateOf(program, (question) => askedOf(session, question, program.signal));
    if (script.type === 'changed') return { ...script, type: 'held' };
    const changed = await tracker.changedFolders();
    if (changed === undefined && !isForeign(program)) return outside;
    if (session === undefined) {
      const concern = isForeign(program) ? 'untrusted' : 'changed';
      return heldProgram(program, concern, 'there is no session with a sandbox that it could run in', true);
    }
    const { permissions, sandbox } = session;
    const text = textOf(program);
    if (await permissions.matches(places.excluded, text)) return outside;
    const found = await concernAbout(program, changed, permissions);
    if (found === undefined) return unconfinedRun(program);
    const { concern } = found;
    const state = await sandbox.state();
    if (state.type !== 'on') return askUser(program, text, found, state.reason, session);
    const run = await confine(program, text, concern, session, places).catch((error: unknown) =>
      heldProgram(program, concern, messageOf(error), true),
    );
    if (run.type === 'held') return run;
    // A notification that fails silently would otherwise just stop.
    if (!told.has(concern) && isOwn(program, root, realHome)) {
      told.add(concern);
      session.warn(confinedNotice(program, concern));
    }
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

  /** True for a program of the user's settings in a folder that they have not trusted. */
  const isForeign = (program: SettingsProgram): boolean =>
    places.isUntrusted === true && isOwn(program, root, realHome);

  const unconfinedRun = (program: SettingsProgram): Extract<SettingsRun, { type: 'outside' }> =>
    isForeign(program)
      ? { type: 'outside', env: userProgramEnvironment(program.env, workspaceNow()) }
      : outside;

  const askUser = async (
    program: SettingsProgram,
    text: string,
    { code, concern }: { readonly code: CodeRun; readonly concern: ProgramConcern },
    why: string,
    entered: ProgramSession,
  ): Promise<SettingsRun> => {
    // The script is protected: it cannot have changed without approval.
    if (code === 'script') return unconfinedRun(program);
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
      const { type } = access;
      await tracker.checked();
      if (isUnasked(basis, mode)) {
        if (type === 'write' || type === 'unknown' || type === 'command') await tracker.note(access);
        return;
      }
      const isConfinable = type === 'command' && basis === 'user' && mode !== 'bypassPermissions';
      if (isConfinable && (await session?.sandbox.state())?.type === 'on')
        await (hasPrograms() ? tracker.look(access) : tracker.note(access));
    },
    commandStarted({ basis, isConfined, ...started }) {
      const { command, cwd } = started;
      const mode = session?.mode();
      if (isUnasked(basis, mode)) return tracker.started({ command }, { type: 'command', command, cwd });
      // The user approved it because it is confined, without having seen what it changes.
      if (basis !== 'user' || !isConfined || mode === 'bypassPermissions' || !hasPrograms()) return undefined;
      const onlyInstalls = async (): Promise<boolean> =>
        (await session?.permissions.installs(command, cwd)) === true;
      return tracker.startedConfined({ ...started, onlyInstalls });
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

/**
 * True for a program of the user's settings, unless it starts apart from the folder and names nothing in it, nor a folder
 * around it.
 */
const isOwn = (program: SettingsProgram, root: string, home: string): boolean =>
  program.ofFolder === undefined && (program.isApart !== true || namesFolder(program, root, home));

/** Its environment has only its definition's variables besides those that do not lead to the folder. */
function namesFolder({ command, args = [], cwd, env }: SettingsProgram, root: string, home: string): boolean {
  const isNear = (name: string): boolean => {
    const path = realpath(resolve(cwd, name.replace(/^~(?=\/)/, home)));
    return name.includes('/') && (isInside(path, root) || isInside(root, path));
  };
  const isNamedIn = (text: string): boolean => {
    const words = wordsOf(text, new Map([['HOME', home]]));
    return words?.some((word) => [word.text, ...partsOf(word.text)].some(isNear)) !== false;
  };
  return (
    Object.values(env).some((value) => leadsTo(root, value)) ||
    [command, ...args].some(
      (text) => /_PROJECT_DIR\b|\bPWD\b/.test(text) || text.includes(root) || isNamedIn(text),
    )
  );
}

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
