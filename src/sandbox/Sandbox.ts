/** Confines the commands of one session with the means of this machine: bubblewrap on Linux, seatbelt on macOS. */
import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { isInside, realpath } from '../disk/paths.ts';
import { type Grant, runsReadOnly } from '../protocol/permissions.ts';
import type { CommandSandbox, Confinement } from '../protocol/sandbox.ts';
import { confined, refused, reported, unconfined } from './confinement.ts';
import { withoutTokens } from './environment.ts';
import type { RunningRequest } from './network/commandNetwork.ts';
import { createSessionProxy } from './network/sessionProxy.ts';
import type { SandboxOptions } from './options.ts';
import { createPlaceFinder } from './places/commandPlaces.ts';
import { dangersIn, REPLACES_LINK } from './places/dangers.ts';
import { ownGitFolders } from './places/git/gitFolders.ts';
import { gitVariablesFor } from './places/git/gitVariables.ts';
import { watchHiddenFiles } from './places/hiddenFiles.ts';
import { createInterruptedCommands } from './places/interruptedCommands.ts';
import { createLinkGuard } from './places/linkGuard.ts';
import { hiddenNeed, planCommand } from './plan.ts';
import { closeInheritedFiles, type ProbedMachine, probeMachine } from './probe.ts';
import { createQuarantine, watchProtected } from './protectedChanges.ts';
import { createTemporaryFolders } from './temporary/temporaryFolders.ts';

/** Confines the commands of one session. */
export function createCommandSandbox(options: SandboxOptions): CommandSandbox {
  const proxy = createSessionProxy(options);
  const temporary = createTemporaryFolders(options.temporary);
  const quarantine = createQuarantine(options.setAsideNotes);
  const interrupted = createInterruptedCommands(options.commandNotes);
  const links = createLinkGuard((path) => quarantine.move(path, { reason: REPLACES_LINK }));
  /** Files that the session's tools have created or changed since the last command. */
  const changed: { readonly path: string; readonly kind: 'created' | 'modified' }[] = [];
  /** Folders of `DeniedPlaces.whole` that were reported. */
  const told = new Set<string>();
  /** Changes by commands that ended before they were reported. */
  const unreported: string[] = [];
  const finder = createPlaceFinder(options, {
    openTemporary: temporary.open,
    beforeCreating: () => void unreported.push(...links.restore().map(({ path, note }) => `${path}${note}`)),
  });

  // Once: every command is confined by the same program, or nothing runs.
  let probing: Promise<ProbedMachine> | undefined;
  const probe = (): Promise<ProbedMachine> => {
    if (probing === undefined && options.platform === 'linux') closeInheritedFiles();
    probing ??= (options.probe ?? probeMachine)(options);
    return probing;
  };

  /** See `Confinement.stays`. */
  const staysWith = (grant: Grant): Confinement['stays'] => {
    if (basisOf(grant) === 'read-only') return 'read-only';
    return options.isBinding ? 'managed' : undefined;
  };

  const { outside = (env) => env } = options;

  return {
    state: async () => (await probe()).state,
    closesGit: options.enabled && options.mode === 'workspace-write',
    prepare: () => void probe(),
    isExcluded: async (command) => options.isExcluded(command),
    async steps({ command, cwd, grant }) {
      const whole = [{ command, isConditional: false }];
      const { state: found } = await probe();
      const isWritable = found.type === 'on' && found.mode === 'workspace-write';
      if (!isWritable || grant.basis === 'own' || basisOf(grant) === 'read-only') return whole;
      // A quick test first: splitting a line needs disk lookups.
      if (!/[;&\n]/.test(command)) return whole;
      if (await options.isExcluded(command)) return whole;
      return options.steps(command, cwd);
    },
    async confine(request) {
      const probed = await probe();
      const found = probed.state;
      if (request.grant.basis === 'own') return unconfined('typed by the user', request.env);
      const env = withoutTokens(request.env, options.environment);
      if (found.type !== 'on' && request.grant.hiding !== undefined) return refused(NEEDS_HIDING, env);
      if (found.type !== 'on') return unconfined(found.reason, found.type === 'off' ? request.env : env);
      const basis = basisOf(request.grant);
      const mayLeave = basis !== 'read-only' && request.isKeptInside !== true;
      if (mayLeave && (await options.isExcluded(request.command)))
        return unconfined('excluded by the settings', outside(request.env));
      const denied = (await options.denied?.()) ?? { paths: [], whole: [] };
      if (denied.refusal !== undefined) return refused(denied.refusal, env);
      const isReadOnly = found.mode === 'read-only' || basis === 'read-only';
      const mayEnd = isReadOnly && request.isBrief === true;
      // It starts while the places are searched. What only reads does without: most first commands do.
      if (options.platform === 'linux' && !mayEnd) void proxy.open();
      const gitUse = isReadOnly
        ? ({ type: 'none' } as const)
        : await options.gitUse(request.command, request.cwd);
      const {
        workspace,
        roots,
        repositories,
        protectedFiles,
        closed,
        followed,
        shared,
        places,
        replaceable,
      } = await finder.find(request, { isReadOnly, gitUse, denyRead: denied.paths });
      const scratch = realpathSync(request.scratch);
      const where = { cwd: request.cwd, scratch };
      const refusal = hiddenNeed(places, {
        ...where,
        root: workspace[0] ?? request.cwd,
        cwd: realpath(request.cwd),
      });
      if (refusal !== undefined) return refused(refusal, env);
      if (!isReadOnly) for (const { path, kind } of changed.splice(0)) temporary.adopt(path, kind);
      const plan = planCommand(found.mode, basis, where, places, {
        isOwn: temporary.isOwn,
        named: (folder) => temporary.named(folder, request.command),
      });
      temporary.showFiles();
      const linked = plan.temporary.map((folder) => temporary.link(folder, folder.mounted, request.command));
      const onBuilt = (): void => {
        for (const done of linked) done();
      };
      // On Linux even without a network: mounts can be added later only to what runs in the session's user namespace. Entering
      // it takes as long as starting a program.
      const isEntered = plan.network === 'session' || (options.platform === 'linux' && !mayEnd);
      const entry = isEntered ? await proxy.open() : proxy.current();
      const route = plan.network === 'session' ? entry : undefined;
      const token = randomBytes(9).toString('base64url');
      const own: RunningRequest = {
        request,
        hosts: new Set(),
        refused: new Set(),
        problems: new Set(),
        answers: new Map(),
      };
      const before = protectedFiles;
      const dangers = dangersIn(before.flatMap((one) => [...one]));
      const left = isReadOnly ? new Set<string>() : interrupted.take(roots, dangers);
      const isKept = (path: string): boolean => !replaceable.some((file) => isInside(file, path));
      const protectedChanges = watchProtected(
        before.map((one) => new Map([...one].filter(([path]) => !left.has(path)))),
        {
          now: () => finder.protectedFilesNow(roots),
          inSlices: () => finder.protectedFiles(roots),
        },
        {
          kept: [...plan.protected, ...plan.hidden.map(({ path }) => path)].filter(isKept),
          fixed: plan.protected.filter(isKept),
          roots,
          disable: quarantine.move,
          restoreLinks: links.restore,
        },
      );
      // What a killed session left behind must be handled before this command ends.
      if (left.size > 0) await protectedChanges.check();
      const mayChangeGit = [...roots, ...repositories]
        .flatMap(ownGitFolders)
        .some((folder) => !isReadOnly && !closed.some((place) => isInside(folder, place)));
      const ended = mayChangeGit ? interrupted.begin(roots, dangers) : () => undefined;
      const stopChecking = roots.length === 0 ? () => undefined : checkRepeatedly(protectedChanges.check);
      const letGo = links.hold(followed);
      const onRelease = (): void => {
        letGo();
        protectedChanges.release();
        ended();
        stopChecking();
        onBuilt();
        proxy.end(token);
      };
      const share = (): Promise<void> => temporary.share();
      const hasTemporary = [...plan.temporary, ...places.temporary].length > 0;
      const { hiding, searches } = request.grant;
      const hiddenFiles =
        basis === 'read-only' && (hiding !== undefined || searches)
          ? watchHiddenFiles(
              [...new Set([...denied.paths, ...places.projectSecrets, ...(places.secretFolders ?? [])])],
              async () => [...((await options.denied?.())?.paths ?? []), ...(await finder.secrets())],
            )
          : undefined;
      const changes = reported(protectedChanges, unreported, quarantine.reported);
      const confinement = confined({
        plan,
        gitUse,
        stays: staysWith(request.grant),
        shared,
        hasTemporary,
        env: gitVariablesFor(gitUse, workspace, env),
        probed,
        entry,
        isEntered,
        route,
        token,
        asking: own,
        options,
        changes,
        // Reading a large index takes longer than a frame; in a read-only git folder it cannot change.
        looks: roots.length > 0 && (mayChangeGit || closed.length === 0) ? protectedChanges.check : undefined,
        hiddenFiles,
        whole: denied.whole.filter((path) => plan.denied.includes(path)),
        told,
        share,
        onBuilt,
        onRelease,
      });
      if (plan.network === 'session') proxy.begin(token, own);
      return confinement;
    },
    adopt: (path, kind) => void changed.push({ path, kind }),
    sandboxPathOf: temporary.sandboxPathOf,
    outside: (request, reason) =>
      staysWith(request.grant) === undefined
        ? unconfined(reason, outside(request.env))
        : refused(MUST_STAY, withoutTokens(request.env, options.environment)),
    dispose() {
      proxy.close();
      finder.release();
      return temporary.release();
    },
  };
}

const NEEDS_HIDING = 'it may run only in a sandbox, which hides secrets from it';
const MUST_STAY = 'it may run only in a sandbox';

const basisOf = (grant: Grant): Grant['basis'] => (runsReadOnly(grant) ? 'read-only' : grant.basis);

const CHECK_MS = 1000;
/** A check takes at most this share of the time. */
const CHECK_SHARE = 0.1;

/**
 * Calls a function while a command runs, at least every second if the function is quick. Returns a function that stops
 * it.
 */
function checkRepeatedly(check: () => Promise<void>): () => void {
  let isOver = false;
  const next = (ms: number): NodeJS.Timeout =>
    setTimeout(async () => {
      const startedAt = performance.now();
      // It reads files, so it does not reject.
      await check();
      if (!isOver) timer = next(Math.max(CHECK_MS, (performance.now() - startedAt) / CHECK_SHARE));
    }, ms).unref();
  let timer = next(CHECK_MS);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
