/**
 * The definitions of subagents that a session may use. Those of the repository apply only if the user has trusted the
 * folder and approved exactly their content.
 */
import { AGENT_GRANT, contentMark, grantLookup } from '../../config/grants.ts';
import type { FolderTrust } from '../../config/trust.ts';
import type { Grant } from '../../config/types.ts';
import {
  type AgentFolder,
  builtinAgents,
  findAgents,
  mergeAgents,
  parseAgents,
} from '../../extensions/findAgents.ts';
import { isSensitive } from '../../permissions/files/sensitive.ts';
import type { AgentDefinition, AgentList, AgentProblem } from '../../protocol/extensions/subagents.ts';
import { visibleLine } from '../../protocol/text/visible.ts';
import type { AppPaths } from '../process/appPaths.ts';

type Places = Pick<AppPaths, 'home' | 'dataRoot' | 'root'>;

interface DefinitionSource {
  readonly place: Places;
  readonly trust: Pick<FolderTrust, 'isTrusted' | 'granted'>;
  /** The value of `--agents`. */
  readonly flag: string | undefined;
  /** Only those of `--agents` and the built-in ones. */
  readonly isSafe?: boolean;
  /** Those of enabled plugins. */
  readonly plugins?: readonly AgentDefinition[];
}

/** Definitions that may be used, and names of those that wait for the user's approval. */
export interface UsableAgents extends AgentList {
  readonly held: readonly string[];
}

/**
 * Reads all definitions. `--agents` comes first; our own folders take precedence over those of other agents, and the
 * repository's over the user's.
 */
export async function usableAgents({
  place,
  trust,
  flag,
  plugins = [],
  isSafe = false,
}: DefinitionSource): Promise<UsableAgents> {
  const places = { ...place, isSensitive };
  const find = (folder: AgentFolder) => (isSafe ? none : findAgents(folder, places));
  const [projectOwn, projectForeign, userOwn, userForeign] = await Promise.all([
    find('project-own'),
    find('project-foreign'),
    find('user-own'),
    find('user-foreign'),
  ]);
  const flagged = flag === undefined ? none : parseAgents(flag);
  const used = usedOf(projectOwn, projectForeign);
  const isUsable = (one: AgentDefinition): boolean => isApproved(one, place, trust);
  const [own, foreign] = [projectOwn, projectForeign].map((list) => approved(list, used, isUsable));
  const builtin = { agents: builtinAgents, problems: [] };
  const merged = mergeAgents(
    'error' in flagged ? none : flagged,
    ...[own ?? none, userOwn, foreign ?? none, userForeign, { agents: plugins, problems: [] }, builtin],
  );
  return { ...merged, held: used.filter((one) => !isUsable(one)).map(({ name }) => name) };
}

const none: AgentList = { agents: [], problems: [] };

/** The repository's definitions that would be used once approved: no others need approval. */
function usedOf(...lists: readonly AgentList[]): readonly AgentDefinition[] {
  return mergeAgents(...lists).agents.filter(({ name }) => !builtinNames.has(name.toLowerCase()));
}

/** The grants that the repository's definitions need. */
export async function agentGrants(place: Places): Promise<Grant[]> {
  const places = { ...place, isSensitive };
  const lists = await Promise.all([findAgents('project-own', places), findAgents('project-foreign', places)]);
  return usedOf(...lists).map((one) => grantOf(one, place));
}

/** A notice about definitions that are not used; undefined if there are none. */
export function unapprovedAgentsNotice(
  { held }: UsableAgents,
  { isTrusted }: FolderTrust,
): string | undefined {
  if (held.length === 0) return undefined;
  const [which, are] = held.length === 1 ? ['The subagent', 'is'] : ['The subagents', 'are'];
  const why = isTrusted
    ? `you have not approved ${held.length === 1 ? 'its definition' : 'their definitions'} as they are now`
    : 'this folder is not trusted';
  return `${which} ${held.slice(0, 10).join(', ')} ${are} not used, because ${why}; run clawdcode here to decide.`;
}

function approved(
  list: AgentList,
  used: readonly AgentDefinition[],
  isUsable: (one: AgentDefinition) => boolean,
): AgentList {
  const problems: AgentProblem[] = [];
  const agents = list.agents.filter((one) => {
    const problem = problemOf(one, isUsable(one), used.includes(one));
    if (problem !== undefined) problems.push({ file: one.file ?? '', message: problem });
    return problem === undefined;
  });
  return { agents, problems: [...list.problems, ...problems] };
}

const builtinNames: ReadonlySet<string> = new Set(builtinAgents.map(({ name }) => name));

/** Why a definition of the repository is not used. */
function problemOf({ name }: AgentDefinition, isUsable: boolean, isUsed: boolean): string | undefined {
  if (builtinNames.has(name.toLowerCase()))
    return `${name} is a built-in agent, which a repository cannot replace.`;
  if (!isUsable && !isUsed) return `Another definition of ${name} takes precedence.`;
  return isUsable ? undefined : `${name} waits for your approval: run clawdcode here to decide.`;
}

function isApproved(one: AgentDefinition, place: Places, trust: DefinitionSource['trust']): boolean {
  return trust.isTrusted && grantLookup(trust.granted ?? [])(grantOf(one, place));
}

/** Characters of a description in the approval prompt. */
const MAX_PURPOSE = 200;
/** Characters of a list of tools there. */
const MAX_TOOLS = 500;

/** Names the definition, what it may use, and its content: a changed file needs approval again. */
function grantOf(definition: AgentDefinition, { root }: Places): Grant {
  const { name, description, file = '', digest = '' } = definition;
  const source = file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file;
  const facts = `${usesOf(definition).join('; ')}${contentMark(digest)}`;
  // The description comes last: whatever it claims, the facts come before it.
  return { kind: AGENT_GRANT, text: `${name} (${facts}): ${visibleLine(description, MAX_PURPOSE)}`, source };
}

/** Tools, model and mode of a definition, for the approval prompt. */
function usesOf({
  tools,
  disallowedTools,
  model,
  effort,
  permissionMode,
  isolation,
  isBackground,
}: AgentDefinition): readonly string[] {
  const list = (names: readonly string[]): string => visibleLine(names.join(', '), MAX_TOOLS);
  const allowed =
    tools === undefined ? 'all tools' : tools.length === 0 ? 'no tools' : `tools ${list(tools)}`;
  return [
    disallowedTools.length === 0 ? allowed : `${allowed} except ${list(disallowedTools)}`,
    ...(model === undefined ? [] : [`model ${visibleLine(model, MAX_PURPOSE)}`]),
    ...(effort === undefined ? [] : [`effort ${effort}`]),
    ...(permissionMode === undefined ? [] : [`mode ${permissionMode}`]),
    ...(isolation === undefined ? [] : ['in a git worktree']),
    ...(isBackground === true ? ['in the background'] : []),
  ];
}
