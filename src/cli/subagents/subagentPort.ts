/** Creates subagents for an agent: their sessions, models, tools and permissions. */
import { join } from 'node:path';
import { createAgent } from '../../agent/Agent.ts';
import type { AgentDeps } from '../../agent/agentDeps.ts';
import type { Clock } from '../../agent/reply.ts';
import type { ChildRequest, OpenedChild, SubagentPort } from '../../agent/subagents/types.ts';
import { DEFAULT_STEPS } from '../../agent/subagents/types.ts';
import { type Environment, environmentBlock, subagentPrompt } from '../../agent/systemPrompt.ts';
import { type ContextManager, newId, newNoteKey, type PersistentStore } from '../../context/index.ts';
import { modelOf } from '../../extensions/findAgents.ts';
import type { HookPort } from '../../protocol/extensions/hooks.ts';
import type { AgentDefinition } from '../../protocol/extensions/subagents.ts';
import type { ModelClient } from '../../protocol/model.ts';
import type { CommandSandbox } from '../../protocol/sandbox.ts';
import type { Tool } from '../../protocol/tools.ts';
import { builtinTools, type ToolDeps } from '../../tools/builtinTools.ts';
import type { ModelChoice } from '../models/modelChoice.ts';
import { userName } from '../process/workspaceFacts.ts';
import { adoptCreatedFiles } from '../sandbox.ts';
import type { SessionSkills } from '../skills.ts';
import { modelProblem } from './modelProblem.ts';
import { toolsFor } from './toolsFor.ts';

export interface SubagentParts {
  /** Those that may be used now. */
  readonly definitions: () => readonly AgentDefinition[];
  readonly client: ModelClient;
  readonly clock: Clock;
  readonly interactive: boolean;
  readonly root: string;
  /** The store for the subagents' sessions of a session. */
  readonly storeFor: (sessionId: string) => PersistentStore;
  readonly createContext: (store: PersistentStore, model: ModelChoice) => ContextManager;
  /** The model of the agent that starts a subagent. */
  readonly parentModel: () => string;
  readonly createModel: (id: string) => ModelChoice;
  /** Models that the settings of the user or an administrator name. */
  readonly settingsModels: readonly string[];
  readonly environment: () => Promise<Environment>;
  readonly toolDeps: ToolDeps & { readonly sandbox: CommandSandbox };
  /** The tools that are not built in: of skills and MCP servers. */
  readonly otherTools: () => readonly Tool[];
  readonly skills: Pick<SessionSkills, 'found' | 'prepare'>;
  readonly waitForTools?: (signal: AbortSignal) => Promise<void>;
  readonly decide: AgentDeps['decide'];
  readonly autoAllow: () => void;
  readonly remember: AgentDeps['remember'];
  readonly suggestHost?: NonNullable<AgentDeps['suggestHost']>;
  /** The hooks of the session, which outlive the subagent. */
  readonly hooks?: HookPort | undefined;
  readonly onError: (error: unknown) => void;
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

/** The definitions have been approved, and with them the models that they name. */
function namedModels({ definitions, settingsModels }: SubagentParts): readonly string[] {
  return [...definitions().flatMap(({ model }) => model ?? []), ...settingsModels];
}

/** An earlier run of the session has started subagents, too. */
async function lastNumber(store: PersistentStore): Promise<number> {
  const ids = await store.sessionIds();
  return ids.reduce((most, id) => Math.max(most, Number(/^a(\d{1,9})$/.exec(id)?.[1] ?? 0)), 0);
}

async function openChild(request: ChildRequest, parts: SubagentParts): Promise<OpenedChild> {
  const { definition, id } = request;
  const model = parts.createModel(modelOf(request.model) ?? definition.model ?? parts.parentModel());
  const context = parts.createContext(parts.storeFor(request.sessionId), model);
  try {
    await startSession(context, model, request, parts);
    return {
      agent: createChild(context, model, request, parts),
      log: join('agents', request.sessionId, `${id}.jsonl`),
    };
  } catch (error) {
    await context.close();
    throw new Error(`The session of subagent ${id} could not be started.`, { cause: error });
  }
}

/** Writes the header, which says whose subagent it is. */
async function startSession(
  context: ContextManager,
  model: ModelChoice,
  { id, definition, callId, description, sessionId, cwd }: ChildRequest,
  parts: SubagentParts,
): Promise<void> {
  const [environment, skills] = await Promise.all([
    parts.environment(),
    skillTexts(definition, sessionId, parts.skills),
  ]);
  const noteKey = newNoteKey();
  const instructions = [definition.prompt, ...skills].join('\n\n');
  await context.createSession(
    userName(),
    {},
    {
      sessionId: id,
      systemPrompt: subagentPrompt(instructions, environment, noteKey),
      noteKey,
      environment: { ...environment, block: environmentBlock(environment) },
      model: model.current().id,
      subagent: { of: sessionId, callId, agent: definition.name, description },
    },
  );
  context.setCwd(cwd);
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
  { id, sessionId, definition, cwd, parent }: ChildRequest,
  parts: SubagentParts,
): OpenedChild['agent'] {
  const {
    client,
    clock,
    interactive,
    root,
    toolDeps,
    waitForTools,
    suggestHost,
    hooks: port,
    onError,
  } = parts;
  const hooked = { id, type: definition.name, sessionId };
  const { sandbox } = toolDeps;
  // The sandbox is the session's: it outlives the subagent.
  const builtin = builtinTools({ ...toolDeps, sandbox: { ...sandbox, dispose() {} } });
  const agent = createAgent({
    id: newId(),
    context,
    client,
    model,
    tools: () => toolsFor(definition, [...builtin.tools, ...parts.otherTools()]),
    ...(waitForTools && { waitForTools }),
    disposeTools: builtin.dispose,
    runningCalls: builtin.runningCalls,
    tasks: builtin.tasks,
    sandbox,
    decide: definition.isReadOnly === true ? readOnlyDecide(definition.name, parts.decide) : parts.decide,
    autoAllow: parts.autoAllow,
    remember: parts.remember,
    ...(suggestHost && { suggestHost }),
    root,
    cwd,
    mode: 'default',
    parent,
    maxSteps: definition.maxTurns ?? DEFAULT_STEPS,
    interactive,
    demo: false,
    titles: false,
    clock,
    newId,
    ...(port && { hooks: { port, origin: 'startup', agent: hooked } }),
    onError,
  });
  adoptCreatedFiles(agent, sandbox);
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
