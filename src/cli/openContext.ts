/** Opens a session: writes the frozen header of a new one, or resumes one and tells the model what has changed. */

import { pipeline } from 'node:stream/promises';
import { commandsCutShort } from '../agent/rewind/cutShort.ts';
import { INTERRUPTED_REWIND, interruptedRewind } from '../agent/rewind/turns.ts';
import { lastCwd, lastEffort, lastModel, titleEntry } from '../agent/sessionFacts.ts';
import { environmentBlock, environmentNote, systemPrompt } from '../agent/systemPrompt.ts';
import type { Agent, SessionTarget } from '../agent/types.ts';
import type { DirectoryPort } from '../commands/types.ts';
import type { LoadedSettings } from '../config/types.ts';
import {
  type BlobStore,
  type ContextManager,
  type LongTermMemory,
  liveEntries,
  newNoteKey,
  type PersistentStore,
  pointersOf,
  type TokenEncoder,
} from '../context/index.ts';
import { DEMO_MODEL } from '../model/demo.ts';
import type { LanguageServerPort } from '../protocol/diagnostics.ts';
import type { BlobRef } from '../protocol/entries/fields.ts';
import type { JSONLEntry } from '../protocol/entries.ts';
import type { CallBack, HookPort } from '../protocol/extensions/hooks.ts';
import type { McpPort, McpServerSource, OpenHostChannel } from '../protocol/extensions/mcp.ts';
import type { Skill } from '../protocol/extensions/skills.ts';
import type { ThinkingOptions } from '../protocol/models/wires.ts';
import type { SandboxMode } from '../protocol/sandbox.ts';
import { quotedName, visibleLine } from '../protocol/text/visible.ts';
import type { Tool } from '../protocol/tools.ts';
import type { Endpoints } from './models/endpoints.ts';
import type { ModelChoice } from './models/modelChoice.ts';
import type { Permissions } from './permissions/permissions.ts';
import type { ThreadedEngine } from './permissionThread/ThreadedEngine.ts';
import type { SessionPlugins, UsedPlugins } from './plugins/usedPlugins.ts';
import type { AppPaths } from './process/appPaths.ts';
import type { DebugLog } from './process/debugLog.ts';
import type { ReadEnvironment } from './process/environment.ts';
import { readWorkspaceFacts, userName } from './process/workspaceFacts.ts';
import { readEntries } from './sessionCommand/readEntries.ts';
import { type Located, locateTarget, restoreFromArchive } from './sessions/locateTarget.ts';
import type { SessionSkills } from './skills.ts';
import type { UsableAgents } from './subagents/definitions.ts';

export interface OpenedSession {
  readonly agent: Agent;
  readonly permissions: Permissions;
  readonly file: string | undefined;
  readonly memory: LongTermMemory;
  /** Returns the names of the tools that the model currently has. */
  readonly tools: () => readonly string[];
  readonly skills: SessionSkills;
  /** The subagents that the model may start now; the same object until the user changes plugins. */
  readonly agents: () => UsableAgents;
  /** Undefined without servers. */
  readonly mcp: () => McpPort | undefined;
  /** Undefined if they are turned off. */
  readonly languageServers: LanguageServerPort | undefined;
  readonly directories: DirectoryPort;
  readonly hooks: HookPort;
  /** Reads the installed plugins again; changes take effect at once. */
  readonly refreshPlugins: () => Promise<void>;
  /**
   * Replaces the MCP servers that the driving program has set, including those inside it. Each replaces a server of
   * that name in the settings.
   */
  readonly setServers: (servers: readonly McpServerSource[]) => Promise<void>;
  /** Returns the known facts about any model, by its full name. */
  readonly modelInfo: ModelChoice['infoOf'];
  readonly resumed: boolean;
  /** Notices to show first: damaged lines, calls closed as interrupted. */
  readonly notices: readonly string[];
  /** Calls `listener`, now or later, if the model's context window is assumed. Returns a function that unsubscribes. */
  readonly onAssumedWindow: (listener: (text: string) => void) => () => void;
}

export interface SessionFactoryOptions {
  readonly place: AppPaths;
  readonly loaded: LoadedSettings;
  readonly apiKey: string | undefined;
  /** The initial model; a resumed session keeps its own unless `modelForced`. */
  readonly model: string;
  readonly modelForced: boolean;
  /** Its token budget for reasoning at the start of the session, and whether it shows its reasoning. */
  readonly thinking?: ThinkingOptions | undefined;
  readonly demo: boolean;
  /** Without instructions, memories and skills. */
  readonly isSafe?: boolean | undefined;
  /** The session is not written to disk: for new sessions only, and without checkpoints. */
  readonly isEphemeral?: boolean | undefined;
  readonly interactive: boolean;
  /** From the command line; overrides the settings. */
  readonly sandboxMode?: SandboxMode | undefined;
  /** Replaces the program's own system prompt in a new session. */
  readonly systemPrompt?: string | undefined;
  /** The names of the built-in tools that the model gets; absent = all of them. */
  readonly builtinTools?: readonly string[] | undefined;
  /** Deny rules; built-in tools that a rule names as a whole are not offered. */
  readonly hiddenTools?: readonly string[] | undefined;
  /** The names of the skills that the model is offered; absent = all of them. */
  readonly skills?: readonly string[] | undefined;
  readonly debug: DebugLog;
  /** The user has trusted the folder. */
  readonly isTrusted?: boolean;
  /** The MCP servers that may be used, without those of plugins. */
  readonly servers?: readonly McpServerSource[];
  /** The approved plugins; absent = none. */
  readonly plugins?: SessionPlugins;
  /** The definitions of subagents that may be used now; absent = the model can start none. */
  readonly agents?: (plugins: UsedPlugins['agents']) => Promise<UsableAgents>;
  /** The tool for the model's final answer, with `--json-schema`. */
  readonly answerTool?: Tool | undefined;
  /** The permission rules of a skill that apply; absent = those of the user's own. */
  readonly allowedTools?: (skill: Skill) => readonly string[];
  /** The program that drives this one. */
  readonly driver?: { readonly callBack: CallBack; readonly openHostChannel: OpenHostChannel } | undefined;
  /** Reads the environment described to the model; called for each session created or resumed. */
  readonly environment: ReadEnvironment;
  /** The threads, if sessions with other settings share them. */
  readonly threads?: SessionThreads | undefined;
}

/** Threads that are independent of any session. */
export interface SessionThreads {
  readonly encoder: TokenEncoder;
  readonly engine: ThreadedEngine;
}

/** What opening a session needs; the endpoints say whether the model it used is still there. */
type OpenOptions = SessionFactoryOptions & { readonly endpoints: Endpoints };

interface Opened extends Pick<OpenedSession, 'resumed' | 'notices'> {
  /** The shell's initial directory. */
  readonly cwd: string;
}

export async function openContext(
  context: ContextManager,
  target: SessionTarget,
  store: PersistentStore,
  options: OpenOptions,
  model: ModelChoice,
): Promise<Opened> {
  const opened = await open(context, target, store, options, model);
  if (target.title !== undefined) await context.append(titleEntry(target.title));
  return opened;
}

async function open(
  context: ContextManager,
  target: SessionTarget,
  store: PersistentStore,
  options: OpenOptions,
  model: ModelChoice,
): Promise<Opened> {
  if (target.type === 'new') return start(context, target.sessionId, options);
  if (target.type === 'latest') {
    const { notices, ...started } = await start(context, undefined, options);
    return {
      ...started,
      notices: [...notices, 'There is no session to continue here; this is a new one.'],
    };
  }
  const { place } = options;
  const located = await locateTarget(target, place, store);
  const { id, lost } =
    target.mode === 'fork'
      ? await copyOf(located, target.uptoSeq, store)
      : { id: located.id, lost: located.archived ? await restoreFromArchive(located.archived, place) : [] };
  const opened =
    target.mode === 'read'
      ? await openToRead(context, id, options, model)
      : await resume(context, id, store, options, model);
  return { ...opened, notices: [...lost, ...opened.notices] };
}

/**
 * Creates a session with a copy of another's history, which may be open elsewhere or belong to another project; returns
 * its id, and the losses of a damaged archive.
 */
async function copyOf(
  { id, archived, store: from }: Located,
  uptoSeq: number | undefined,
  store: PersistentStore,
): Promise<{ readonly id: string; readonly lost: readonly string[] }> {
  const log = archived ?? { file: from.fileOf(id), isArchived: false };
  const to = uptoSeq === undefined ? {} : { to: uptoSeq };
  const lost: string[] = [];
  const entries = readEntries(log, { type: 'from', seq: 0, ...to }, (problem) => lost.push(problem));
  const isHere = from.folder === store.folder;
  const copied = await (isHere ? store.forkSession(entries, id) : copySession(entries, from, store));
  return { id: copied, lost };
}

/** Opens a session read-only: nothing is appended. */
async function openToRead(
  context: ContextManager,
  id: string,
  { place, loaded, modelForced, demo, endpoints }: OpenOptions,
  model: ModelChoice,
): Promise<Opened> {
  const { damaged } = await context.loadSession(id);
  chooseModel(context, model, modelForced || demo, endpoints);
  chooseEffort(context, model, loaded);
  return { resumed: true, cwd: place.cwd, notices: damaged };
}

async function start(
  context: ContextManager,
  sessionId: string | undefined,
  { place, loaded, model, environment: readEnvironment, systemPrompt: own, endpoints }: OpenOptions,
): Promise<Opened> {
  const [environment, workspace] = await Promise.all([
    readEnvironment(place),
    readWorkspaceFacts(place.root),
  ]);
  const { theme, vim } = loaded.settings;
  const provider = endpoints.find(model).endpoint.name;
  const noteKey = newNoteKey();
  await context.createSession(
    userName(),
    { theme, vim },
    {
      ...(sessionId === undefined ? {} : { sessionId }),
      systemPrompt: systemPrompt(environment, noteKey, loaded.settings.appendSystemPrompt, own),
      noteKey,
      environment: { ...environment, ...workspace, block: environmentBlock(environment) },
      model,
      ...(provider === undefined ? {} : { provider }),
    },
  );
  context.setCwd(place.cwd);
  await context.refreshInstructions();
  return { resumed: false, notices: [], cwd: place.cwd };
}

/** Resumes a session. Earlier bytes stay an exact prefix of the next request: changes are only appended. */
async function resume(
  context: ContextManager,
  id: string,
  store: PersistentStore,
  { place, loaded, modelForced, demo, environment: readEnvironment, endpoints }: OpenOptions,
  model: ModelChoice,
): Promise<Opened> {
  const [report, environment] = await Promise.all([context.loadSession(id), readEnvironment(place)]);
  const missing = chooseModel(context, model, modelForced || demo, endpoints);
  chooseEffort(context, model, loaded);
  const block = environmentBlock(environment);
  // If the program was started in another directory, the shell starts there, as the note says; otherwise where it last
  // was.
  const isMoved = !context.lastEnvironment()?.includes(`Working directory: ${quotedName(place.cwd)}\n`);
  const cwd = isMoved ? place.cwd : (lastCwd(context.live().entries) ?? place.cwd);
  context.setCwd(cwd);
  if (block !== context.lastEnvironment())
    await context.append(environmentNote({ occasion: 'resuming', now: new Date(), block, shell: cwd }));
  await context.refreshInstructions();
  const unreported = await tellOfSubagents(context, store.forAgents(id));
  const { closedCalls, damaged } = report;
  const calls = closedCalls === 1 ? 'One tool call was' : `${closedCalls} tool calls were`;
  const changed = commandsCutShort(context.entries()).length > 0 ? ` ${UNRESTORABLE}` : '';
  const closed = `${calls} cut short when the program stopped, and will not run again.${changed}`;
  const cut = interruptedRewind(liveEntries(context.entries()));
  const notices = [
    ...damaged,
    ...(closedCalls === 0 ? [] : [closed]),
    ...(cut === undefined ? [] : [INTERRUPTED_REWIND]),
    ...unreported,
    ...(missing === undefined ? [] : [missing]),
  ];
  return { resumed: true, cwd, notices };
}

const UNRESTORABLE = 'Files that a command changed until then cannot be restored with /rewind.';

/** Gives the model the results of background subagents, and returns notices for the user. */
async function tellOfSubagents(context: ContextManager, store: PersistentStore): Promise<readonly string[]> {
  const { unreportedSubagents } = await import('./subagents/unreportedSubagents.ts');
  const { entries, undone } = context.live();
  const live = entries.filter(({ uuid }) => !undone.has(uuid));
  const { notes, notices } = await unreportedSubagents(live, store);
  if (notes.length > 0) await context.append(...notes);
  return notices;
}

/** A resumed session keeps its model unless another was requested. Returns a notice if its provider is gone. */
function chooseModel(
  context: ContextManager,
  model: ModelChoice,
  isChosen: boolean,
  { find, isProvider, nameOf, all: [standard] }: Endpoints,
): string | undefined {
  const last = lastModel(context.entries());
  if (last === undefined || last.model === DEMO_MODEL || isChosen) return undefined;
  if (last.provider === undefined) {
    // A provider that was added since may have the name that the id begins with.
    const isTaken = find(last.model).endpoint.name !== undefined;
    model.select(isTaken && standard !== undefined ? nameOf(standard, last.model) : last.model);
    return undefined;
  }
  if (isProvider(last.provider)) {
    model.select(last.model);
    return undefined;
  }
  return `This session used ${visibleLine(last.model, 200)}, but your settings have no provider "${visibleLine(last.provider, 50)}". It continues with ${model.current().id}; /model lists the models.`;
}

/** A resumed session keeps its effort, unless the command line sets another. */
function chooseEffort(context: ContextManager, model: ModelChoice, { sources }: LoadedSettings): void {
  const last = sources.effort === '--effort' ? undefined : lastEffort(context.entries());
  if (last !== undefined) model.setEffort(last ?? undefined);
}

// Copies a session of another project into a new session: its entries, and the blobs they refer to.

/** Returns the new id. Streams, so the entries are never all in memory. Rejects on file system errors. */
export function copySession(
  entries: AsyncIterable<JSONLEntry>,
  from: Pick<PersistentStore, 'blobs'>,
  to: PersistentStore,
): Promise<string> {
  return to.forkSession(carrying(entries, from.blobs, to.blobs));
}

/** Yields the entries unchanged; copies each entry's blobs before yielding it. */
async function* carrying(
  entries: AsyncIterable<JSONLEntry>,
  from: BlobStore,
  to: BlobStore,
): AsyncGenerator<JSONLEntry> {
  const carried = new Set<string>();
  for await (const entry of entries) {
    for (const { hash, bytes } of pointersOf(entry)) {
      if (carried.has(hash)) continue;
      carried.add(hash);
      await carry({ hash, bytes }, from, to);
    }
    yield entry;
  }
}

/** A missing blob must not prevent copying the conversation. */
async function carry(ref: BlobRef, from: BlobStore, to: BlobStore): Promise<void> {
  const content = await from.openContent(ref.hash);
  if (content === undefined) return;
  const file = to.newTemporaryFile();
  await pipeline(content.createReadStream(), (await to.create(file)).createWriteStream());
  await to.adopt(file, ref);
}
