/**
 * The definitions of subagents that a session may use. Those of the repository apply only if the user has trusted the
 * folder and approved exactly their content.
 */
import { AGENT_GRANT, grantLookup } from '../../config/grants.ts';
import type { FolderTrust } from '../../config/trust.ts';
import type { Grant } from '../../config/types.ts';
import { builtinAgents } from '../../extensions/builtinAgents.ts';
import { findAgents, mergeAgents, parseAgents } from '../../extensions/findAgents.ts';
import { isSensitive } from '../../permissions/files/sensitive.ts';
import type { AgentDefinition, AgentList, AgentProblem } from '../../protocol/subagents.ts';
import { visibleLine } from '../../protocol/text/visible.ts';
import type { AppPaths } from '../process/appPaths.ts';

type Places = Pick<AppPaths, 'home' | 'dataRoot' | 'root'>;

interface DefinitionSource {
  readonly place: Places;
  readonly trust: Pick<FolderTrust, 'isTrusted' | 'granted'>;
  /** The value of `--agents`. */
  readonly flag: string | undefined;
}

/** Definitions that may be used, and names of those that wait for the user's approval. */
export interface UsableAgents extends AgentList {
  readonly held: readonly string[];
}

/**
 * Reads all definitions. `--agents` comes first; our own folders take precedence over those of other agents, and the
 * repository's over the user's.
 */
export async function usableAgents({ place, trust, flag }: DefinitionSource): Promise<UsableAgents> {
  const places = { ...place, isSensitive };
  const [projectOwn, projectForeign, userOwn, userForeign] = await Promise.all([
    findAgents('project-own', places),
    findAgents('project-foreign', places),
    findAgents('user-own', places),
    findAgents('user-foreign', places),
  ]);
  const flagged = flag === undefined ? none : parseAgents(flag);
  const [own, foreign] = [projectOwn, projectForeign].map((list) => approved(list, place, trust));
  const builtin = { agents: builtinAgents, problems: [] };
  const merged = mergeAgents(
    'error' in flagged ? none : flagged,
    ...[own ?? none, userOwn, foreign ?? none, userForeign, builtin],
  );
  const all = [...projectOwn.agents, ...projectForeign.agents];
  return { ...merged, held: all.filter((one) => !isApproved(one, place, trust)).map(({ name }) => name) };
}

const none: AgentList = { agents: [], problems: [] };

/** The grants that the repository's definitions need. */
export async function agentGrants(place: Places): Promise<Grant[]> {
  const places = { ...place, isSensitive };
  const lists = await Promise.all([findAgents('project-own', places), findAgents('project-foreign', places)]);
  return lists.flatMap(({ agents }) => agents.map((one) => grantOf(one, place)));
}

/** A notice about definitions that are not used; undefined if there are none. */
export function heldAgentsNotice({ held }: UsableAgents, { isTrusted }: FolderTrust): string | undefined {
  if (held.length === 0) return undefined;
  const [which, are] = held.length === 1 ? ['The subagent', 'is'] : ['The subagents', 'are'];
  const why = isTrusted
    ? `you have not approved ${held.length === 1 ? 'its definition' : 'their definitions'} as they are now`
    : 'this folder is not trusted';
  return `${which} ${held.slice(0, 10).join(', ')} ${are} not used, because ${why}; run clawdcode here to decide.`;
}

function approved(list: AgentList, place: Places, trust: DefinitionSource['trust']): AgentList {
  const problems: AgentProblem[] = [];
  const agents = list.agents.filter((one) => {
    const problem = problemOf(one, isApproved(one, place, trust));
    if (problem !== undefined) problems.push({ file: one.file ?? '', message: problem });
    return problem === undefined;
  });
  return { agents, problems: [...list.problems, ...problems] };
}

const builtinNames: ReadonlySet<string> = new Set(builtinAgents.map(({ name }) => name));

/** Why a definition of the repository is not used. */
function problemOf({ name }: AgentDefinition, isUsable: boolean): string | undefined {
  if (builtinNames.has(name.toLowerCase()))
    return `${name} is a built-in agent, which a repository cannot replace.`;
  return isUsable ? undefined : `${name} waits for your approval: run clawdcode here to decide.`;
}

function isApproved(one: AgentDefinition, place: Places, trust: DefinitionSource['trust']): boolean {
  return trust.isTrusted && grantLookup(trust.granted ?? [])(grantOf(one, place));
}

/** Characters of a description in the approval prompt. */
const MAX_PURPOSE = 200;

/** Names the definition and its content: a changed file needs approval again. */
function grantOf(
  { name, description, file = '', model, digest = '' }: AgentDefinition,
  { root }: Places,
): Grant {
  const source = file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file;
  const facts = [...(model === undefined ? [] : [`model ${model}`]), `content ${digest.slice(0, 32)}`];
  const purpose = visibleLine(description, MAX_PURPOSE);
  return { kind: AGENT_GRANT, text: `${name}: ${purpose} (${facts.join(', ')})`, source };
}
