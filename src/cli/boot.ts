/** What has to be settled before a session can be opened: trust, key and model; then the factory of sessions. */
import type { Environment } from '../agent/systemPrompt.ts';
import { saveUserSetting } from '../config/credentials.ts';
import { diffGrants } from '../config/grants.ts';
import { type FolderTrust, trustFolder } from '../config/trust.ts';
import type { LoadedSettings, UntrustedSetting } from '../config/types.ts';
import { asSettings } from '../config/untrusted.ts';
import { chooseTheme } from '../ui/theme/theme.ts';
import type { AppServices, Boot, TrustQuestion } from '../ui/types.ts';
import { createCommandHost } from './host.ts';
import { askServers, leftOutNotice, usableServers } from './mcp/approval.ts';
import { createModelChoice, listerFor } from './models/modelChoice.ts';
import { type CliOptions, withFlags } from './options.ts';
import { type AppPaths, placeNotice } from './process/appPaths.ts';
import type { DebugLog } from './process/debugLog.ts';
import { prefetchEnvironment } from './process/environment.ts';
import { openSessionCatalogue } from './process/threads.ts';
import { createSessionFactory, type SessionFactory } from './sessionFactory.ts';
import { describeOpenError, refusalOf } from './sessions/sessionErrors.ts';
import { createSessionsPort } from './sessions/sessionsPort.ts';
import { findModelAccess, readSettings, trustIn } from './startup.ts';
import { attentionOf } from './terminal/attention.ts';
import { terminalColors } from './terminal/capabilities.ts';
import { createImagePort } from './terminal/images.ts';
import { createStatusCommand } from './terminal/statusLineCommand.ts';

/** Trust, then model access, then the factory of sessions; each answer leads to the next step. */
export async function boot(place: AppPaths, options: CliOptions, debug: DebugLog): Promise<Boot> {
  const asked = { place, options, debug, environment: prefetchEnvironment(place.cwd) };
  const trust = await trustIn(place);
  const loaded = await readSettings(place, options, trust);
  if (loaded.untrusted.length === 0) return settleServers(asked, loaded, trust);
  return {
    type: 'trust',
    question: trustQuestion(place.root, loaded, trust),
    async answer(yes) {
      if (!yes) return settleServers(asked, withoutHeldEndpoint(loaded), trust);
      // What was shown is what was agreed to: a file that has changed meanwhile asks again.
      await trustFolder(place.dataRoot, place.root, loaded.grants, () => new Date());
      const now = await trustIn(place);
      return settleServers(asked, await readSettings(place, options, now), now);
    },
  };
}

/** Of a folder that was trusted before, only what is new since then, and what is gone. */
function trustQuestion(
  folder: string,
  { untrusted, grants }: LoadedSettings,
  { isTrusted, granted }: FolderTrust,
): TrustQuestion {
  const words = ({ file, effect, value }: UntrustedSetting): string =>
    [`${file}:`, effect, value].filter((part) => part !== '').join(' ');
  const { removed } = diffGrants(granted ?? [], grants);
  const added = untrusted.reduce((sum, { count }) => sum + count, 0);
  const before = {
    ...{ isRecorded: granted !== undefined, gone: asSettings(removed).map(words) },
    ...{ added, removed: removed.length },
  };
  return { folder, effects: untrusted.map(words), ...(isTrusted ? { before } : {}) };
}

/** Whoever says no to another endpoint has decided to use their own. */
function withoutHeldEndpoint({ misread, ...loaded }: LoadedSettings): LoadedSettings {
  const isHeld = loaded.untrusted.some(({ file, key }) => file === misread?.file && key === misread.key);
  if (misread === undefined || isHeld)
    return { ...loaded, problems: loaded.problems.filter((problem) => problem !== misread) };
  return { ...loaded, misread };
}

/** What the program was asked for, and what was begun with it. */
interface Asked {
  readonly place: AppPaths;
  readonly options: CliOptions;
  readonly debug: DebugLog;
  readonly environment: () => Promise<Environment>;
}

/** What of the folder's servers may be used; then the model. */
function settleServers(asked: Asked, loaded: LoadedSettings, trust: FolderTrust): Promise<Boot> {
  return askServers(asked.place, loaded, trust, (now) => chooseModel(asked, loaded, now));
}

async function chooseModel(
  { place, options, debug, environment }: Asked,
  loaded: LoadedSettings,
  trust: FolderTrust,
): Promise<Boot> {
  const access = await findModelAccess(loaded, options.demo, listerFor(place.env));
  if (access.type === 'missing') {
    // Nothing at all is set up on a first start: that is no mistake, so nothing is said.
    const mistake = access.problem && `${access.problem.message} ${access.message}`;
    const first = loaded.settings.apiKey === null && loaded.sources.baseUrl === undefined;
    const { onboarding } = await import('./onboarding/onboarding.ts');
    return onboarding(
      { place, options },
      loaded,
      mistake ?? (first ? undefined : access.message),
      async (next) =>
        chooseModel(
          { ...next, debug, environment },
          await readSettings(next.place, next.options, trust),
          trust,
        ),
    );
  }
  const factory = createSessionFactory({
    place,
    loaded,
    apiKey: access.apiKey,
    model: access.model,
    modelForced: options.model !== undefined,
    demo: options.demo,
    interactive: true,
    sandboxMode: options.sandbox,
    debug,
    environment,
    servers: usableServers(loaded, trust),
  });
  return {
    type: 'ready',
    notices: [
      ...loaded.problems.map((problem) => problem.message),
      ...[placeNotice(place) ?? [], leftOutNotice(loaded, trust) ?? []].flat(),
    ],
    services: appServices(factory, place, options, loaded, trust, debug),
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
  /** The flags speak of the first session only: /clear starts one without a name. */
  let isFirst = true;
  const catalogue = openSessionCatalogue(place, createModelChoice('', settings).costUsd);
  return {
    theme: chooseTheme(settings.theme, terminalColors(place)),
    preferences: {
      reducedMotion: settings.reducedMotion,
      showReasoning: settings.showReasoning,
      vim: settings.vim,
    },
    attention: attentionOf(settings, place.env, place.cwd),
    ...(settings.statusLine === null
      ? {}
      : {
          statusLine: createStatusCommand(
            settings.statusLine,
            place,
            [...settings.permissions.additionalDirectories, ...options.addDirs],
            () => process.stdout.columns,
          ),
        }),
    saveSetting: (path, value) => saveUserSetting(place.dataRoot, path, value),
    sessions: createSessionsPort(place, catalogue),
    images: createImagePort(place),
    async open(target) {
      try {
        const opened = await factory.open(isFirst ? withFlags(target, options) : target);
        isFirst = false;
        if (options.permissionMode !== undefined && opened.agent.state().readOnly !== true) {
          // As the settings have it: managed ones win over the flag.
          opened.agent.submit({ type: 'set_mode', mode: settings.permissions.defaultMode });
        }
        return {
          type: 'opened',
          session: {
            agent: opened.agent,
            host: createCommandHost(opened, factory, place, loaded, trust, debug),
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
