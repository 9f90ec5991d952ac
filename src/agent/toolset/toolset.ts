/** The tools of a session. They may change while it runs, for example when an MCP server connects or disconnects. */
import type { ToolSchema } from '../../protocol/messages.ts';
import type { Tool } from '../../protocol/tools.ts';
import { createToolSearch, describeToolSearch, type ToolSearchPorts } from './toolSearch.ts';

/** Finds a tool by its name, or by another name that the model may call it by. */
export function toolNamed(tools: readonly Tool[], name: string): Tool | undefined {
  return tools.find((tool) => tool.name === name) ?? tools.find(({ aliases }) => aliases?.includes(name));
}

export interface Toolset {
  /** The tools that can be called right now. If two have the same name, the first one wins. */
  current(): readonly Tool[];
  /** The schemas for requests; the same array until a tool is added, removed or changed. */
  schemas(): readonly ToolSchema[];
  find(name: string): Tool | undefined;
  /** Returns, for the model, why a call of this name cannot run. */
  missing(name: string): string;
}

/** `tools` is called before each request and each tool call. Without `deferred`, all tools are offered. */
export function createToolset(tools: () => readonly Tool[], deferred?: DeferredTools): Toolset {
  const everOffered = new Set<string>();
  let last: readonly ToolSchema[] = [];
  const all = (): readonly Tool[] => {
    const byName = new Map<string, Tool>();
    for (const tool of tools()) if (!byName.has(tool.name)) byName.set(tool.name, tool);
    return [...byName.values()];
  };
  const offered = (): readonly Tool[] => deferred?.offered(all()) ?? all();
  const current = (): readonly Tool[] => {
    const search = deferred?.search();
    return search === undefined ? all() : [...all(), search];
  };
  return {
    current,
    schemas() {
      const now = offered().map(({ schema }) => schema);
      for (const { name } of now) everOffered.add(name);
      const isSame = now.length === last.length && now.every((schema, index) => schema === last[index]);
      if (!isSame) last = now;
      return last;
    },
    find(name) {
      const found = toolNamed(current(), name);
      // The model called it by name without a search: load its schema as well.
      if (found?.onDemand === true) deferred?.load(name);
      return found;
    },
    missing(name) {
      const names = offered().map((tool) => tool.name);
      const rest = names.length === 0 ? 'No tools are available.' : `Available tools: ${names.join(', ')}.`;
      return everOffered.has(name)
        ? `The tool "${name}" is no longer available. ${rest}`
        : `There is no tool named "${name}". ${rest}`;
    },
  };
}

// Leaves tools out of requests until the model searches for them. MCP servers may have hundreds of tools, and their
// schemas cost tokens in every request: above a share of the context window, a single search tool replaces all of them.
// Tools found by a search are offered from then on, after all others, so that the provider's cache of the preceding
// ones stays valid.

/** Share of the context window above which the schemas are deferred. */
const MAX_SHARE = 0.1;

interface DeferredToolsPorts {
  /** Counts the tokens of schemas in a request. */
  readonly tokensOf: (schemas: readonly ToolSchema[]) => number;
  readonly windowTokens: () => number;
  /** Names of tools that the session has called before; they are offered from the start. */
  readonly called: Iterable<string>;
}

export interface DeferredTools {
  /** Filters all current tools down to those that requests offer. */
  offered(all: readonly Tool[]): readonly Tool[];
  search(): Tool | undefined;
  /** Offers this tool from now on. */
  load(name: string): void;
}

export function createDeferredTools({ tokensOf, windowTokens, called }: DeferredToolsPorts): DeferredTools {
  /** Names in the order in which they were found. */
  const loaded = new Set(called);
  /** Never reset within a session: a list that grows and shrinks would defeat the provider's cache. */
  let isDeferring = false;
  let measured: { readonly schemas: readonly ToolSchema[]; readonly tokens: number } | undefined;
  let search: Tool | undefined;
  /** The tools that can be searched for right now. */
  let onDemand: readonly Tool[] = [];
  const searchPorts: ToolSearchPorts = { tools: () => onDemand, load: (name) => void loaded.add(name) };

  const areTooLarge = (tools: readonly Tool[]): boolean => {
    const schemas = tools.map(({ schema }) => schema);
    const isSame =
      measured?.schemas.length === schemas.length &&
      schemas.every((one, at) => one === measured?.schemas[at]);
    if (!isSame) measured = { schemas, tokens: tokensOf(schemas) };
    return (measured?.tokens ?? 0) > MAX_SHARE * windowTokens();
  };

  return {
    offered(all) {
      onDemand = all.filter((tool) => tool.onDemand === true);
      isDeferring ||= onDemand.length > 0 && areTooLarge(onDemand);
      if (!isDeferring || onDemand.length === 0) {
        search = undefined;
        return all;
      }
      const description = describeToolSearch(onDemand);
      if (search?.schema.description !== description) search = createToolSearch(description, searchPorts);
      const byName = new Map(onDemand.map((tool) => [tool.name, tool]));
      const found = [...loaded].flatMap((name) => byName.get(name) ?? []);
      return [...all.filter((tool) => tool.onDemand !== true), search, ...found];
    },
    search: () => search,
    load: searchPorts.load,
  };
}
