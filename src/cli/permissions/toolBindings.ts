/**
 * Binds allow rules for MCP tools to what the user allowed: a rule covers a tool only as its server defined it when the
 * rule was granted or, if written by hand, first used. Rules in settings are bound by records in `approved-tools` of
 * the data folder: one for the user's servers and one for each project. Rules of this session are bound until it ends.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { openJsonFile } from '../../disk/jsonFile.ts';
import type { McpToolDefinition } from '../../protocol/permissions.ts';
import { changedLines } from './shownChange.ts';

/** How a rule names a tool, and how long it applies. */
interface BoundRule {
  /** It names this tool, not every tool of the server. */
  readonly isExact: boolean;
  /** It is in settings, not only in force for this session. */
  readonly isSaved: boolean;
}

/** Why a rule does not cover a tool as it is now. */
export interface DefinitionChange {
  /** As it is now. */
  readonly definition: McpToolDefinition;
  /** A sentence without its subject ("the tool"). */
  readonly what: string;
  /** The lines that differ. */
  readonly lines: readonly string[];
}

export interface ToolBindings {
  /** Undefined if the rule covers the tool as it is now. A rule used for the first time is bound to it. */
  check(definition: McpToolDefinition, rule: BoundRule): Promise<DefinitionChange | undefined>;
  /** Records that the user allows the tool as it is now. */
  accept(definition: McpToolDefinition, isSaved: boolean): Promise<void>;
}

/** Definitions accepted for one tool: a server may offer a different one in another folder. */
const MAX_ACCEPTED = 8;
/** Beyond this, the oldest are dropped, and their rules ask again. */
const MAX_TOOLS = 1000;
/** Longer definitions are compared, but a change is not shown line by line. */
const MAX_SHOWN = 8000;

const toolSchema = z.object({
  /** Digests; the newest is the last. */
  accepted: z.array(z.string()),
  /** The lines of the newest, to show a change. */
  lines: z.array(z.string()).optional(),
});
const recordSchema = z.object({
  tools: z.record(z.string(), toolSchema),
  /** By server: the digests of its tools when a rule for all of them was first used. */
  servers: z.record(z.string(), z.record(z.string(), z.string())),
  /** Entries were lost or dropped, so a tool without an entry may have been bound to another definition. */
  isIncomplete: z.boolean().default(false),
});
type BindingRecord = z.output<typeof recordSchema>;

const empty: BindingRecord = { tools: {}, servers: {}, isIncomplete: false };

/** Where a record is kept. */
interface Kept {
  read(): BindingRecord;
  change(next: (known: BindingRecord) => BindingRecord): Promise<void>;
}

export function createToolBindings(place: {
  readonly dataRoot: string;
  readonly root: string;
}): ToolBindings {
  const ofSession = keptInMemory();
  const keptFor = ({ isOfProject }: McpToolDefinition, isSaved: boolean): Kept =>
    isSaved ? keptOnDisk(place.dataRoot, isOfProject ? place.root : '') : ofSession;
  return {
    async check(definition, { isExact, isSaved }) {
      const kept = keptFor(definition, isSaved);
      const state = stateIn(kept.read(), definition, isExact);
      if (state.type === 'changed') return state.change;
      if (state.type === 'new') {
        // If it cannot be stored, the rule is bound for this session.
        await kept
          .change((known) => withServer(withTool(known, definition), definition, isExact))
          .catch(() => ofSession.change((known) => withTool(known, definition)));
      }
      return undefined;
    },
    async accept(definition, isSaved) {
      await ofSession.change((known) => withTool(known, definition));
      if (isSaved) await keptFor(definition, true).change((known) => withTool(known, definition));
    },
  };
}

type State =
  | { readonly type: 'accepted' }
  /** Nothing is known about it yet. */
  | { readonly type: 'new' }
  | { readonly type: 'changed'; readonly change: DefinitionChange };

function stateIn(
  { tools, servers, isIncomplete }: BindingRecord,
  definition: McpToolDefinition,
  isExact: boolean,
): State {
  const { tool, server, digest } = definition;
  const changed = (what: string, lines: readonly string[] = linesOf(definition)): State => ({
    type: 'changed',
    change: { definition, what, lines },
  });
  const known = Object.hasOwn(tools, tool) ? tools[tool] : undefined;
  if (known?.accepted.includes(digest) === true) return { type: 'accepted' };
  if (known !== undefined) return changed(AS_ALLOWED, differences(known.lines, definition));
  const first = Object.hasOwn(servers, server) ? servers[server] : undefined;
  if (isIncomplete)
    return changed(`may not be ${AS_ALLOWED.slice('is not '.length)}: the record of that is incomplete`);
  if (isExact || first === undefined || first[tool] === digest) return { type: 'new' };
  return Object.hasOwn(first, tool)
    ? changed('is not defined as it was when the rule was first used')
    : changed('was added by its server after the rule was first used');
}

const AS_ALLOWED = 'is not defined as it was when you allowed it';

/** The lines that differ; all lines if no earlier ones are known. If none differs, the server does. */
function differences(
  before: readonly string[] | undefined,
  definition: McpToolDefinition,
): readonly string[] {
  const [server = '', ...now] = linesOf(definition);
  if (before === undefined) return [server, ...now];
  const { removed, added } = changedLines(before, now, () => '');
  const lines = [...removed.map((line) => `- ${line}`), ...added.map((line) => `+ ${line}`)];
  return lines.length === 0 ? [`+ ${server}`] : lines;
}

/** The bound parts, as the user reads them: the server first. */
function linesOf({ target, title, description, annotations, parameters }: McpToolDefinition): string[] {
  return [
    `Server: ${target}`,
    ...(title === undefined ? [] : [`Title: ${title}`]),
    ...`Description: ${description}`.split('\n'),
    ...(annotations === undefined ? [] : [`Annotations: ${JSON.stringify(annotations)}`]),
    ...`Input: ${JSON.stringify(parameters, null, 1)}`.split('\n'),
  ];
}

function withTool(known: BindingRecord, definition: McpToolDefinition): BindingRecord {
  const { tool, digest } = definition;
  const { [tool]: before, ...others } = known.tools;
  const accepted = [...(before?.accepted ?? []).filter((one) => one !== digest), digest].slice(-MAX_ACCEPTED);
  // A server's URL or arguments may contain a secret.
  const lines = linesOf(definition).slice(1);
  const isShown = lines.join('\n').length <= MAX_SHOWN;
  const all = Object.entries({ ...others, [tool]: { accepted, ...(isShown && { lines }) } });
  return {
    ...known,
    tools: Object.fromEntries(all.slice(-MAX_TOOLS)),
    isIncomplete: known.isIncomplete || all.length > MAX_TOOLS,
  };
}

/** Binds a rule for all tools of a server to those that it offers when the rule is first used. */
function withServer(
  known: BindingRecord,
  { server, offered }: McpToolDefinition,
  isExact: boolean,
): BindingRecord {
  if (isExact || Object.hasOwn(known.servers, server)) return known;
  return { ...known, servers: { ...known.servers, [server]: offered } };
}

function keptInMemory(): Kept {
  let record = empty;
  return {
    read: () => record,
    async change(next) {
      record = next(record);
    },
  };
}

/** Thousands of definitions. */
const MAX_BYTES = 50_000_000;

/** `root`: the project whose servers it is about; empty for the user's servers. */
function keptOnDisk(dataRoot: string, root: string): Kept {
  const name = root === '' ? 'user' : createHash('sha256').update(root).digest('hex').slice(0, 32);
  return openJsonFile<BindingRecord>({
    file: join(dataRoot, 'approved-tools', `${name}.json`),
    parse: (value) => recordSchema.parse(value),
    ...{ empty, damaged: { ...empty, isIncomplete: true }, maxBytes: MAX_BYTES, isCompact: true },
  });
}
