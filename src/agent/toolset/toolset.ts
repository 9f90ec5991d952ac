/** The tools of a session. They may change while it runs, for example when an MCP server connects or disconnects. */
import type { ToolSchema } from '../../protocol/messages.ts';
import type { Tool } from '../../protocol/tools.ts';
import type { DeferredTools } from './deferredTools.ts';

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
      const rest = names.length === 0 ? 'There are no tools now.' : `The tools are: ${names.join(', ')}.`;
      return everOffered.has(name)
        ? `The tool "${name}" is no longer available. ${rest}`
        : `There is no tool named "${name}". ${rest}`;
    },
  };
}
