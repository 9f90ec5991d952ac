/** Builds what a session needs and opens it: the only place where the rooms are plugged together. */
import { join } from 'node:path';
import { createAgent } from '../agent/Agent.ts';
import { readOnlyAgent } from '../agent/readOnlyAgent.ts';
import { createSummarizer } from '../agent/reply.ts';
import type { SessionTarget } from '../agent/types.ts';
import type { ModelList } from '../commands/types.ts';
import { rememberRules } from '../config/trust.ts';
import {
  ContextManager,
  createInstructionSource,
  getProjectStoragePath,
  LongTermMemory,
  newId,
  PersistentStore,
  type SessionSummary,
} from '../context/index.ts';
import { realpath } from '../disk/realPath.ts';
import { createDemoClient, DEMO_MODEL } from '../model/demo.ts';
import { environmentSend } from '../model/http/environmentSend.ts';
import type { HttpSend } from '../model/http/types.ts';
import { createOpenAIClient } from '../model/openai.ts';
import { ownFactsOf } from '../model/ownFacts.ts';
import { createServedModels, type ServedModels } from '../model/servers/servedModels.ts';
import { isReadOnlyForCommands, protectionPlace } from '../permissions/files/protectedNames.ts';
import type { SourcedRule } from '../permissions/rules/rules.ts';
import type { ModelClient } from '../protocol/model.ts';
import { builtinTools } from '../tools/builtinTools.ts';
import { openKnownServers } from './models/knownServers.ts';
import { openLearnedWindows } from './models/learnedWindows.ts';
import { createModelChoice, listModels } from './models/modelChoice.ts';
import { withNearestModels } from './models/nearestModels.ts';
import { type OpenedSession, openContext, type SessionFactoryOptions } from './openContext.ts';
import { createAutoAllow } from './permissions/autoAllow.ts';
import { delicateWord } from './permissions/delicateWords.ts';
import { createEnvSecrets } from './permissions/envSecrets.ts';
import { createPermissions } from './permissions/permissions.ts';
import { warmUpCommands } from './permissions/warmUpCommands.ts';
import { createPermissionEngine } from './permissionThread/ThreadedEngine.ts';
import type { AppPaths } from './process/appPaths.ts';
import { systemClock } from './process/clock.ts';
import { logContext } from './process/debugLog.ts';
import { createTokenEncoder } from './process/threads.ts';
import { createSessionSandbox, sandboxNotices } from './sandbox.ts';
import { locateAnywhere } from './sessions/archivedSession.ts';
import { openFileCheckpoints } from './sessions/fileCheckpoints.ts';
import { whereItLies } from './sessions/movedSession.ts';
import { writeRedaction } from './sessions/redaction.ts';
import { SessionElsewhereError } from './sessions/sessionErrors.ts';
import { storeOfTarget } from './sessions/storeOfTarget.ts';
import { startUpkeep } from './sessions/upkeep.ts';
import { sandboxByFlag } from './startup.ts';

export interface SessionFactory {
  open(target: SessionTarget): Promise<OpenedSession>;
  list(): Promise<readonly SessionSummary[]>;
  /** Whether an id, the start of one, or a title names a session of this project. */
  has(id: string): Promise<boolean>;
  listModels(): Promise<ModelList>;
}

export function createSessionFactory(options: SessionFactoryOptions): SessionFactory {
  const { place, loaded } = options;
  const { settings } = loaded;
  const { baseUrl, headers } = settings;
  const redaction = writeRedaction(settings, options.apiKey);
  if (redaction !== undefined) options.debug.redactWith(redaction.text);
  const store = new PersistentStore({
    dataRoot: place.dataRoot,
    projectRoot: place.root,
    programVersion: place.version,
    redaction,
  });
  const encoder = createTokenEncoder(place.packageRoot);
  const engine = createPermissionEngine(place.packageRoot, options.debug.write);
  const apiKey = options.apiKey;
  const send = environmentSend(place.env);
  const onError = (error: unknown): void =>
    options.debug.write(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const served = options.demo
    ? undefined
    : createServedModels({
        baseUrl,
        apiKey,
        headers,
        now: systemClock.now,
        send,
        memory: openKnownServers({ dataRoot: place.dataRoot, baseUrl, now: systemClock.now, onError }),
      });
  const client = createClient(options, send, served);
  const learning = openLearnedWindows({
    dataRoot: place.dataRoot,
    baseUrl,
    now: systemClock.now,
    onError,
  });
  const toldAssumed = new Set<string>();
  const savedRules: SourcedRule[] = [];

  return {
    list: () => store.listSessions(),
    has: (id) =>
      whereItLies({ type: 'id', id }, place)
        .then((target) => locateAnywhere(id, storeOfTarget(target, place) ?? store, place))
        .then(
          () => true,
          // It is there: opening it says where, and what can be done with it.
          (error) => error instanceof SessionElsewhereError,
        ),
    listModels: () =>
      options.demo ? Promise.resolve({ ids: [DEMO_MODEL] }) : listModels(baseUrl, apiKey, { send, headers }),
    async open(asked) {
      const [target, learnedWindows] = await Promise.all([whereItLies(asked, place), learning]);
      let onLearned = (): void => {};
      const model = createModelChoice(options.model, settings, {
        served,
        learnedWindows,
        toldAssumed,
        // A closed session has no entries.
        isLearnedInSession: () =>
          context.entries().length > 0 && context.measure([]).windowSource === 'learned',
        onLearned: () => onLearned(),
        hasPrompt: !options.interactive,
      });
      const permissions = createPermissions(loaded, {
        ...place,
        engine,
        saved: savedRules,
        // A rule that the user has just saved here must count tomorrow, without trust in what else comes here.
        onSaved: (rules) => rememberRules(place.dataRoot, place.root, rules),
      });
      const memory = new LongTermMemory({
        folders: {
          user: join(place.dataRoot, 'memory'),
          project: join(getProjectStoragePath(place.dataRoot, place.root), 'memory'),
        },
        isSensitive: permissions.isWithheld,
        onWarning: options.debug.write,
      });
      const isReading = target.type === 'id' && target.mode === 'read';
      const isFork = target.type !== 'new' && target.mode === 'fork';
      const context = new ContextManager({
        // A fork is always of this project; anything else is taken up where it lies.
        store: (isFork ? undefined : storeOfTarget(target, place, redaction)) ?? store,
        root: place.root,
        settings: settings.context,
        model: model.current,
        summarize: createSummarizer(client, systemClock),
        encoder,
        isSensitive: permissions.isWithheld,
        memory,
        onWindowLearned: learnedWindows.remember,
        instructions: createInstructionSource({ ...place, isSensitive: permissions.isWithheld }),
      });
      // A disk that refuses the very first entry is told of before anybody listens, and only once: caught here.
      // The last word counts: where nothing is saved, a missing lock is no news.
      let problem: string | undefined;
      const stopListening = context.onProblem(({ message }) => {
        problem = message;
      });
      const { cwd, notices, ...opened } = await openContext(context, target, store, options, model);
      stopListening();
      const sandbox = createSessionSandbox({
        place,
        loaded,
        permissions,
        mode: sandboxByFlag(loaded, options.sandboxMode),
      });
      const protection = protectionPlace(
        place.home,
        [place.root, ...settings.permissions.additionalDirectories],
        realpath,
      );
      const autoAllow = createAutoAllow({
        permissions,
        sandbox,
        isOn: settings.sandbox.autoAllow,
        delicateWord: (command, cwd) =>
          delicateWord(command, cwd, {
            home: place.home,
            isWithheld: permissions.isWithheld,
            isObeyed: (path) => isReadOnlyForCommands(path, protection),
          }),
        excluded: settings.sandbox.excludedCommands,
      });
      const { tools, tasks, dispose, runningCalls } = builtinTools({
        env: { ...place.env, ...settings.env },
        home: place.home,
        isSensitive: permissions.isWithheld,
        web: settings.webFetch,
        sandbox,
        knownSecrets: createEnvSecrets(),
      });
      const { maxSessions, titles } = settings.sessions;
      const stopUpkeep = startUpkeep({ place, maxSessions, interactive: options.interactive, onError });
      const created = createAgent({
        id: newId(),
        context,
        client,
        model,
        tools: () => tools,
        disposeTools: () => {
          stopUpkeep();
          return dispose();
        },
        files: openFileCheckpoints(context, settings, place, options.debug.write, redaction),
        runningCalls,
        tasks,
        decide: autoAllow.decide,
        autoAllow: autoAllow.enable,
        sandbox,
        remember: permissions.remember,
        // A rule that would not count is not offered.
        ...(settings.allowManagedPermissionRulesOnly ? {} : { suggestHost: permissions.suggestHost }),
        root: place.root,
        cwd,
        mode: settings.permissions.defaultMode,
        refusedModes: loaded.refusedModes,
        judgeRules: settings.permissions.auto.rules,
        maxSteps: settings.maxTurns ?? undefined,
        interactive: options.interactive,
        demo: options.demo,
        titles,
        clock: systemClock,
        newId,
        onError,
      });
      const agent = isReading ? readOnlyAgent(created, onError) : created;
      logContext(agent, options.debug);
      warmUpCommands(agent, () => {
        engine.prepare();
        sandbox.prepare();
      });
      agent.subscribe((event) => {
        const changes = event.type === 'entry' ? (event.entry.toolResult?.filesChanged ?? []) : [];
        for (const { kind, path } of changes) if (kind === 'created') sandbox.adopt(path);
      });
      // A closed session has nothing to measure.
      if (options.interactive) onLearned = () => void agent.measure().catch(() => undefined);
      // Switching every question off is a decision of one day; a session does not take it to the next by itself.
      const { defaultMode } = settings.permissions;
      if (
        opened.resumed &&
        !isReading &&
        agent.state().mode === 'bypassPermissions' &&
        defaultMode !== 'bypassPermissions'
      ) {
        agent.submit({ type: 'set_mode', mode: defaultMode });
      }
      return {
        agent,
        permissions,
        file: context.filePath(),
        memory,
        tools: tools.map((tool) => tool.name),
        ...opened,
        // Nothing is sent from a session that is only read.
        onAssumedWindow: isReading ? () => () => {} : model.onAssumed,
        notices: [
          ...(problem === undefined ? [] : [problem]),
          ...notices,
          ...(isReading ? [] : sandboxNotices(place, loaded)),
        ],
      };
    },
  };
}

/** As OpenAI's own tools read them. */
function accountHeaders({ OPENAI_ORG_ID, OPENAI_PROJECT_ID }: AppPaths['env']): Record<string, string> {
  return {
    ...(OPENAI_ORG_ID ? { 'OpenAI-Organization': OPENAI_ORG_ID } : {}),
    ...(OPENAI_PROJECT_ID ? { 'OpenAI-Project': OPENAI_PROJECT_ID } : {}),
  };
}

function createClient(
  { place, loaded, apiKey, demo, debug }: SessionFactoryOptions,
  send: HttpSend,
  served: ServedModels | undefined,
): ModelClient {
  if (demo) return createDemoClient(systemClock.sleep);
  const { baseUrl, headers, models } = loaded.settings;
  const client = createOpenAIClient({
    apiKey,
    baseUrl,
    headers: { 'User-Agent': `clawdcode/${place.version}`, ...headers },
    account: accountHeaders(place.env),
    debug: debug.write,
    send,
    factsOf: (id) => {
      const { tools = served?.get(id)?.tools, returnsReasoning } = ownFactsOf(models, id);
      return {
        ...(tools === undefined ? {} : { callsTools: tools }),
        ...(returnsReasoning === undefined ? {} : { returnsReasoning }),
      };
    },
  });
  return withNearestModels(client, () => listModels(baseUrl, apiKey, { send, headers }));
}
