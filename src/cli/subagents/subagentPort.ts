/** Creates subagents for an agent: their sessions, models, tools and permissions. */
import { join } from 'node:path';
import { createAgent } from '../../agent/Agent.ts';
import type { AgentDeps } from '../../agent/agentDeps.ts';
import type { Clock } from '../../agent/reply.ts';
import {
  type ChildRequest,
  DEFAULT_STEPS,
  type OpenedChild,
  type SubagentPort,
} from '../../agent/subagents/types.ts';
import {
  type Environment,
  environmentBlock,
  subagentPrompt,
  worktreeText,
} from '../../agent/systemPrompt.ts';
import { type ContextManager, newId, newNoteKey, type SessionStore } from '../../context/index.ts';
import { isInside } from '../../disk/paths.ts';
import { modelOf } from '../../extensions/frontMatter.ts';
import type { HookPort } from '../../protocol/extensions/hooks.ts';
import type { AgentDefinition } from '../../protocol/extensions/subagents.ts';
import type { ModelClient } from '../../protocol/models/model.ts';
import { visibleLine } from '../../protocol/text/visible.ts';
import { traitsOf } from '../../protocol/toolNames.ts';
import type { Tool } from '../../protocol/tools.ts';
import { type BuiltinTools, builtinTools } from '../../tools/builtinTools.ts';
import type { Confinement } from '../confinement.ts';
import type { ModelChoice } from '../models/modelChoice.ts';
import { userName } from '../process/workspaceFacts.ts';
import { adoptChangedFiles } from '../sandbox.ts';
import type { SessionSkills } from '../skills.ts';
import { checkpointsOutside } from './checkpointsOutside.ts';
import type { OpenedWorktree, Worktrees } from './worktrees.ts';

interface ChildStore extends SessionStore {
  sessionIds(): Promise<readonly string[]>;
}

export interface SubagentParts {
  /** Those that may be used now. */
  readonly definitions: () => readonly AgentDefinition[];
  readonly client: ModelClient;
  readonly clock: Clock;
  readonly interactive: boolean;
  readonly root: string;
  /** The store for the subagents' sessions of a session. */
  readonly storeFor: (sessionId: string) => ChildStore;
  /** `at`: absent = the project. */
  readonly createContext: (store: SessionStore, model: ModelChoice, at?: WorkPlace) => ContextManager;
  /** The model of the agent that starts a subagent. */
  readonly parentModel: () => string;
  readonly createModel: (id: string) => ModelChoice;
  /** The fallback models for when a chosen one is unavailable. */
  readonly fallbackModels: readonly string[];
  /** Models that the settings of the user or an administrator name. */
  readonly settingsModels: readonly string[];
  /** `worktree`: for an agent that works there. */
  readonly environment: (worktree?: { readonly root: string; readonly cwd: string }) => Promise<Environment>;
  /** What confines the calls of the agent that starts a subagent. */
  readonly confinement: Confinement;
  readonly worktrees: Worktrees;
  /** True if commands in a worktree may also write to folders that the user has added to the project or the sandbox. */
  readonly sharesFolders: () => boolean;
  /** The tools that are not built in: of skills and MCP servers. */
  readonly otherTools: () => readonly Tool[];
  readonly skills: Pick<SessionSkills, 'found' | 'prepare'>;
  readonly waitForTools?: (signal: AbortSignal) => Promise<void>;
  readonly suggestHost?: NonNullable<AgentDeps['suggestHost']>;
  readonly onChanging?: NonNullable<AgentDeps['onChanging']>;
  /** The hooks of the session, which outlive the subagent. */
  readonly hooks?: HookPort | undefined;
  readonly onError: (error: unknown) => void;
}

/** A folder in which a subagent works, and what must not reach its model from there. */
interface WorkPlace {
  readonly root: string;
  readonly cwd: string;
  readonly isWithheld: (path: string) => boolean;
  readonly isReadable: (path: string) => boolean;
}

export function createSubagentPort(parts: SubagentParts): SubagentPort {
  /** The highest number given so far; read from the session's folder before the first. */
  let last: Promise<number> | undefined;
  return {
    get definitions() {
      return parts.definitions();
    },
    modelProblem: (model) => modelProblem(model, [parts.parentModel(), ...namedModels(parts)]),
    async newId(sessionId) {
      const number = (last ?? lastNumber(parts.storeFor(sessionId))).then((one) => one + 1);
      last = number;
      return `a${await number}`;
    },
    open: (request) => openChild(request, parts),
  };
}

/** Definitions have been approved, and with them the models that they name; the user's skills are the user's choice. */
function namedModels({ definitions, settingsModels, skills }: SubagentParts): readonly string[] {
  const own = skills.found.skills.filter(({ scope, plugin }) => scope === 'user' && plugin === undefined);
  return [
    ...definitions().flatMap(({ model }) => model ?? []),
    ...own.flatMap(({ fork, model }) => fork?.model ?? model ?? []),
    ...settingsModels,
  ];
}

/** An earlier run of the session has started subagents, too. */
async function lastNumber(store: ChildStore): Promise<number> {
  const ids = await store.sessionIds();
  return ids.reduce((most, id) => Math.max(most, Number(/^a(\d{1,9})$/.exec(id)?.[1] ?? 0)), 0);
}

async function openChild(request: ChildRequest, parts: SubagentParts): Promise<OpenedChild> {
  const { definition, id, sessionId, description, cwd, signal } = request;
  const model = parts.createModel(modelOf(request.model) ?? definition.model ?? parts.parentModel());
  if (definition.effort !== undefined) model.setEffort(definition.effort);
  const owner = { sessionId, id, agent: definition.name, description };
  const worktree = request.isIsolated ? await parts.worktrees.open(owner, cwd, signal) : undefined;
  const at = worktree && {
    root: worktree.record.path,
    cwd: worktree.cwd,
    isWithheld: worktree.confinement.permissions.isWithheld,
    isReadable: worktree.confinement.permissions.isReadable,
  };
  const context = parts.createContext(parts.storeFor(sessionId), model, at);
  try {
    await startSession(context, model, request, parts, worktree);
    return {
      agent: createChild(context, model, request, parts, worktree),
      log: join('agents', sessionId, `${id}.jsonl`),
      ...(worktree && { worktree: { ...worktree.record, end: worktree.end } }),
    };
  } catch (error) {
    await context.close();
    await worktree?.end();
    throw new Error(`The session of subagent ${id} could not be started.`, { cause: error });
  }
}

/** Writes the header, which names the parent's session. */
async function startSession(
  context: ContextManager,
  model: ModelChoice,
  { id, definition, callId, description, sessionId, cwd }: ChildRequest,
  parts: SubagentParts,
  worktree: OpenedWorktree | undefined,
): Promise<void> {
  const [environment, skills] = await Promise.all([
    parts.environment(worktree && { root: worktree.record.path, cwd: worktree.cwd }),
    skillTexts(definition, sessionId, parts.skills),
  ]);
  const noteKey = newNoteKey();
  const instructions = [definition.prompt, ...skills].join('\n\n');
  const apart = worktree && worktreeText({ ...worktree.record, notes: worktree.notes });
  const subagent = { of: sessionId, callId, agent: definition.name, description };
  await context.createSession(
    userName(),
    {},
    {
      sessionId: id,
      systemPrompt: subagentPrompt(instructions, environment, noteKey, apart),
      noteKey,
      environment: { ...environment, block: environmentBlock(environment) },
      model: model.current().id,
      subagent: worktree === undefined ? subagent : { ...subagent, worktree: { ...worktree.record } },
    },
  );
  context.setCwd(worktree?.cwd ?? cwd);
  await context.refreshInstructions();
}

/** Characters of one skill in a system prompt. */
const MAX_SKILL = 20_000;

/** The instructions of the skills that the definition names; their commands stay text. */
async function skillTexts(
  { skills: names }: AgentDefinition,
  sessionId: string,
  { found, prepare }: SubagentParts['skills'],
): Promise<string[]> {
  const texts = await Promise.all(
    names.slice(0, 10).map(async (name) => {
      const skill = found.skills.find((one) => one.name.toLowerCase() === name.toLowerCase());
      const prepared = skill && (await prepare(skill, '', sessionId));
      if (prepared === undefined || 'problem' in prepared) return '';
      const text = prepared.parts.map((part) => (part.type === 'text' ? part.text : part.command)).join('');
      return `# Skill ${name}\n\n${text.trim().slice(0, MAX_SKILL).toWellFormed()}`;
    }),
  );
  return texts.filter((text) => text !== '');
}

function createChild(
  context: ContextManager,
  model: ModelChoice,
  { id, sessionId, definition, cwd, parent, isOfHook }: ChildRequest,
  parts: SubagentParts,
  worktree: OpenedWorktree | undefined,
): OpenedChild['agent'] {
  const { client, clock, interactive, waitForTools, suggestHost, onChanging, hooks: port, onError } = parts;
  const hooked = { id, type: definition.name, sessionId };
  const { sandbox, toolDeps, permissions, decide, enable } = worktree?.confinement ?? parts.confinement;
  // Checkpoints cover the project, and a worktree is not part of it. The session's sandbox outlives the subagent.
  const apart =
    worktree &&
    checkpointsOutside(parent.checkpoints, sandbox, {
      isApart: (path) => isInside(path, worktree.record.path),
      sharesFolders: parts.sharesFolders,
      running: () => builtin.runningCalls(),
    });
  const builtin: BuiltinTools = builtinTools({
    ...toolDeps,
    sandbox: apart?.sandbox ?? { ...sandbox, dispose() {} },
    variables: port?.variables,
  });
  const agent = createAgent({
    id: newId(),
    context,
    client,
    model,
    fallbacks: () => parts.fallbackModels.map(model.infoOf),
    tools: () => toolsFor(definition, [...builtin.tools, ...parts.otherTools()]),
    ...(waitForTools && { waitForTools }),
    disposeTools: builtin.dispose,
    runningCalls: builtin.runningCalls,
    tasks: builtin.tasks,
    lateNotes: builtin.lateNotes,
    sandbox,
    decide: definition.isReadOnly === true ? readOnlyDecide(definition.name, decide) : decide,
    autoAllow: enable,
    remember: permissions.remember,
    ...(suggestHost && { suggestHost }),
    ...(onChanging && { onChanging }),
    root: worktree?.record.path ?? parts.root,
    cwd: worktree?.cwd ?? cwd,
    mode: 'default',
    parent: { ...parent, ...(apart && { checkpoints: () => apart.checkpoints }) },
    maxSteps: definition.maxTurns ?? DEFAULT_STEPS,
    interactive,
    demo: false,
    titles: false,
    clock,
    newId,
    ...(port && isOfHook !== true && { hooks: { port, origin: 'startup', agent: hooked } }),
    onError,
  });
  adoptChangedFiles(agent, sandbox);
  return agent;
}

/** Denies whatever plan mode denies, and otherwise decides as for any agent. */
function readOnlyDecide(name: string, decide: AgentDeps['decide']): AgentDeps['decide'] {
  return async (tool, access, mode, allowedBy) => {
    const inPlanMode = await decide(tool, access, 'plan');
    if (inPlanMode.behavior !== 'deny') return decide(tool, access, mode, allowedBy);
    if (inPlanMode.rule !== undefined) return inPlanMode;
    return { ...inPlanMode, reason: `${name} changes nothing: it may run only read-only commands.` };
  };
}

// Which models a call of the Agent tool may name. Behind a gateway the name decides who reads the conversation, so the
// model chooses only among models that the user has chosen or approved. Pure.

const MAX_SHOWN = 200;
/** Names in the message. */
const MAX_NAMES = 30;

/** Why a call may not name this model, for the model; undefined if it may. `allowed`: the session's model first. */
export function modelProblem(wanted: string, allowed: readonly string[]): string | undefined {
  // `inherit` and models of another provider mean the default.
  const model = modelOf(wanted);
  if (model === undefined || allowed.includes(model)) return undefined;
  const names = [...new Set(allowed)].slice(0, MAX_NAMES).map((name) => visibleLine(name, MAX_SHOWN));
  return `A subagent may not use the model "${visibleLine(model, MAX_SHOWN)}". Leave model out, or name one of: ${names.join(', ')}. The user can add models to "models" in their config.json.`;
}

// The tools of a subagent: those of its definition, without those that no subagent gets. Pure.

/** The tools that a definition lets its subagent use. */
export function toolsFor(
  { tools: allowed, disallowedTools }: Pick<AgentDefinition, 'tools' | 'disallowedTools'>,
  all: readonly Tool[],
): readonly Tool[] {
  return all.filter(
    ({ name }) =>
      traitsOf(name)?.inSubagents !== false &&
      (allowed === undefined || allowed.some((one) => names(one, name))) &&
      !disallowedTools.some((one) => names(one, name)),
  );
}

/** `mcp__server` and `mcp__server__*` name all tools of a server; `*` names all tools. */
function names(written: string, tool: string): boolean {
  const name = written.toLowerCase();
  const of = tool.toLowerCase();
  if (name === '*' || name === of) return true;
  if (!name.startsWith('mcp__')) return false;
  return of.startsWith(`${name.replace(/__\*$/, '')}__`);
}
