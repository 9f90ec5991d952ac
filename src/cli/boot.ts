/** Settles trust, API key and model before a session can be opened; then creates the session factory. */

import { changedGrants } from '../config/changedParts.ts';
import { saveUserSetting } from '../config/credentials.ts';
import { addedGrants, goneGrants } from '../config/grants.ts';
import { namedByFolder } from '../config/settingsFiles.ts';
import { asSettings, type FolderTrust, rememberConfined, trustFolder } from '../config/trust.ts';
import type { LoadedSettings, UntrustedSetting } from '../config/types.ts';
import { chooseTheme } from '../ui/theme/theme.ts';
import type { AppServices, Boot, TrustQuestion } from '../ui/types.ts';
import { createConfigPort } from './configPort.ts';
import { damagedNotices } from './damagedNotices.ts';
import { createCommandHost } from './host.ts';
import { askServers, leftOutNotice } from './mcp/approval.ts';
import { createModelChoice, listerFor } from './models/modelChoice.ts';
import { type CliOptions, withFlags } from './options.ts';
import { approveFiles } from './permissions/approvedFiles.ts';
import { shownChange } from './permissions/shownChange.ts';
import { type AppPaths, rootNotice } from './process/appPaths.ts';
import { keyVariables } from './process/commandVariables.ts';
import type { DebugLog } from './process/debugLog.ts';
import { prefetchEnvironment, type ReadEnvironment } from './process/environment.ts';
import { openSessionCatalogue } from './process/threads.ts';
import { createSessionFactory, type SessionFactory } from './sessionFactory.ts';
import { describeOpenError, refusalOf } from './sessions/sessionErrors.ts';
import { createSessionsPort } from './sessions/sessionsPort.ts';
import {
  filesToApprove,
  findModelAccess,
  identifyFolder,
  inWorkspace,
  programsToConfine,
  readSettings,
  sessionOptions,
  trustIn,
} from './startup.ts';
import { unapprovedAgentsNotice, usableAgents } from './subagents/definitions.ts';
import { orphanedWorktreeNotices } from './subagents/worktrees.ts';
import { attentionOf } from './terminal/attention.ts';
import { terminalColors } from './terminal/capabilities.ts';
import { createImagePort } from './terminal/images.ts';
import { createStatusCommand } from './terminal/statusLineCommand.ts';
import { unsupportedNotices } from './unsupportedNotices.ts';

/** Asks for trust, then for model access, and then creates the session factory; each answer leads to the next step. */
export async function boot(
  place: AppPaths,
  options: CliOptions,
  debug: DebugLog,
  onSettings: (place: AppPaths) => void,
): Promise<Boot> {
  const asked = { place, options, debug, environment: prefetchEnvironment(place), onSettings };
  const trust = await trustIn(place);
  const loaded = await readSettings(place, options, trust);
  const { changedFiles = [] } = loaded;
  const own = await programsToConfine(place, options, loaded, trust, debug.write);
  const isAsked = loaded.untrusted.length + changedFiles.length > 0;
  if (!isAsked && [...own.keys()].every(trust.staysConfined)) {
    await identifyFolder(place, loaded, trust);
    return waitForServers(asked, loaded, trust);
  }
  // Read before the user sees the question.
  const run = await filesToApprove(place, options, trust, loaded.grants);
  return {
    type: 'trust',
    question: {
      ...trustQuestion(place.root, loaded, trust),
      ...(own.size > 0 && { own: [...new Set(own.values())] }),
    },
    async answer(yes) {
      if (!yes) {
        // Without it, the next start asks again.
        if (own.size > 0) await rememberConfined(place.dataRoot, place.root, [...own.keys()]).catch(() => {});
        return waitForServers(asked, withoutHeldEndpoint(loaded), trust);
      }
      // Trusts only what was shown: a file that has changed in the meantime asks again.
      await trustFolder(place.dataRoot, place.root, loaded.grants, () => new Date());
      await approveFiles(place, changedFiles, run);
      const now = await trustIn(place);
      return waitForServers(asked, await readSettings(place, options, now), now);
    },
  };
}

/** For a folder trusted earlier, lists only settings added or removed since then. */
function trustQuestion(
  folder: string,
  { untrusted, grants, changedFiles = [] }: LoadedSettings,
  { isTrusted, granted, other }: FolderTrust,
): TrustQuestion {
  const removed = goneGrants(granted ?? [], grants);
  const added = untrusted.reduce((sum, { count }) => sum + count, 0);
  const changes = changedGrants(removed, addedGrants(granted ?? [], grants));
  const before = {
    ...{ isRecorded: granted !== undefined, gone: settingLines(asSettings(removed)) },
    ...{ added, removed: removed.length },
    ...(changes.length > 0 && { changes }),
    ...(changedFiles.length > 0 && { files: changedFiles.map(shownChange) }),
  };
  const isOther = other?.wasTrusted === true;
  return {
    folder,
    effects: settingLines(untrusted),
    ...(isOther && { isOther }),
    ...(isTrusted && { before }),
  };
}

/** A line for each effect, after the files that have it. */
function settingLines(settings: readonly UntrustedSetting[]): readonly string[] {
  const files = new Map<string, string[]>();
  for (const { file, effect, value } of settings) {
    const text = value === '' ? effect : `${effect.replace(/[.:]$/, '')}: ${value}`;
    files.set(text, [...(files.get(text) ?? []), file]);
  }
  return [...files].map(([text, names]) => `${names.join(', ')}: ${text}`);
}

/** If the user rejects the folder's endpoint, uses the user's own instead. */
function withoutHeldEndpoint({ misread, ...loaded }: LoadedSettings): LoadedSettings {
  const isHeld = loaded.untrusted.some(({ file, key }) => file === misread?.file && key === misread.key);
  if (misread === undefined || isHeld)
    return { ...loaded, problems: loaded.problems.filter((problem) => problem !== misread) };
  return { ...loaded, misread };
}

/** The program's inputs, and the environment lookup already started for them. */
interface Asked {
  readonly place: AppPaths;
  readonly options: CliOptions;
  readonly debug: DebugLog;
  readonly environment: ReadEnvironment;
  /** Gets the place with the directories that the settings add. */
  readonly onSettings: (place: AppPaths) => void;
}

/** Asks which of the folder's MCP servers may be used; then chooses the model. */
function waitForServers(asked: Asked, loaded: LoadedSettings, trust: FolderTrust): Promise<Boot> {
  return askServers(asked.place, loaded, trust, (now) => chooseModel(asked, loaded, now));
}

async function chooseModel(
  { place, options, debug, environment, onSettings }: Asked,
  loaded: LoadedSettings,
  trust: FolderTrust,
): Promise<Boot> {
  onSettings(inWorkspace(place, loaded));
  const access = await findModelAccess(loaded, options.demo, listerFor(place.env));
  if (access.type === 'missing') {
    // On the very first start nothing is set up yet: that is not a mistake, so show no error.
    const mistake = access.problem && `${access.problem.message} ${access.message}`;
    const first = loaded.settings.apiKey === null && loaded.sources.baseUrl === undefined;
    const { onboarding } = await import('./onboarding/onboarding.ts');
    return onboarding(
      { place, options },
      loaded,
      mistake ?? (first ? undefined : access.message),
      async (next) =>
        chooseModel(
          { ...next, debug, environment, onSettings },
          await readSettings(next.place, next.options, trust),
          trust,
        ),
    );
  }
  const { safeMode: isSafe } = options;
  const settled = await sessionOptions({ place, options, trust, loaded, access });
  const { plugins } = settled;
  const factory = createSessionFactory({ ...settled, interactive: true, debug, environment });
  return {
    type: 'ready',
    notices: [
      ...loaded.problems.map((problem) => problem.message),
      ...(await damagedNotices(place)),
      ...(await unsupportedNotices(place.dataRoot, loaded)),
      ...plugins.current().notices,
      ...[rootNotice(place) ?? [], leftOutNotice(loaded, trust) ?? []].flat(),
      ...[
        unapprovedAgentsNotice(await usableAgents({ place, trust, flag: options.agents, isSafe }), trust) ??
          [],
      ].flat(),
      ...(await orphanedWorktreeNotices(place)),
    ],
    services: appServices(factory, settled.place, options, settled.loaded, trust, debug),
  };
}

function appServices(
  factory: SessionFactory,
  place: AppPaths,
  options: CliOptions,
  loaded: LoadedSettings,
  trust: FolderTrust,
  debug: DebugLog,
): AppServices {
  const { settings } = loaded;
  const programs = { ...place, secretEnv: keyVariables(loaded) };
  /** Flags apply only to the first session; for example, /clear starts one without `--name`. */
  let isFirst = true;
  const catalogue = openSessionCatalogue(place, createModelChoice('', settings).costUsd);
  return {
    theme: chooseTheme(settings.theme, terminalColors(place)),
    preferences: {
      reducedMotion: settings.reducedMotion,
      showReasoning: settings.showReasoning,
      vim: settings.vim,
    },
    attention: attentionOf(
      { ...settings, isNotifierOfFolder: namedByFolder(loaded, 'notificationCommand') },
      programs,
      factory.programs,
    ),
    ...(settings.statusLine === null
      ? {}
      : {
          statusLine: createStatusCommand(
            { ...settings.statusLine, isOfFolder: namedByFolder(loaded, 'statusLine') },
            programs,
            loaded.added.directories,
            () => process.stdout.columns,
            factory.programs,
          ),
        }),
    saveSetting: (path, value) => saveUserSetting(place.dataRoot, path, value),
    sessions: createSessionsPort(place, catalogue),
    images: createImagePort(place),
    async open(target) {
      try {
        const opened = await factory.open(isFirst ? withFlags(target, options) : target);
        isFirst = false;
        const keepsMode = target.type === 'new' && target.choices !== undefined;
        if (options.permissionMode !== undefined && opened.agent.state().readOnly !== true && !keepsMode) {
          // Use the loaded settings rather than the flag, because managed settings override it.
          opened.agent.submit({ type: 'set_mode', mode: settings.permissions.defaultMode });
        }
        return {
          type: 'opened',
          session: {
            agent: opened.agent,
            host: createCommandHost({
              ...{ opened, factory, place, loaded, trust, debug },
              isTerminal: process.stdout.isTTY === true,
              config: createConfigPort(place, options, loaded),
            }),
            resumed: opened.resumed,
            notices: opened.notices,
            onAssumedWindow: opened.onAssumedWindow,
          },
        };
      } catch (error) {
        const refused = target.type === 'new' ? undefined : await refusalOf(error, catalogue);
        if (refused !== undefined) return refused;
        debug.write(error instanceof Error ? (error.stack ?? error.message) : String(error));
        const message = describeOpenError(error) ?? `The session could not be opened: ${String(error)}`;
        return { type: 'failed', message };
      }
    },
  };
}
