/** The tools of a session. They may come and go while it runs: a server connects, a plugin is switched off. */
import type { ToolSchema } from '../protocol/messages.ts';
import type { Tool } from '../protocol/tools.ts';

export interface Toolset {
  /** The tools of this moment. Of two with the same name the first counts. */
  current(): readonly Tool[];
  /** What requests offer of them; the same array until a tool appears, goes or changes. */
  schemas(): readonly ToolSchema[];
  find(name: string): Tool | undefined;
  /** Why a call of this name cannot run, for the model. */
  missing(name: string): string;
}

/** `tools` is asked before each request and before each call. */
export function createToolset(tools: () => readonly Tool[]): Toolset {
  const offered = new Set<string>();
  let last: readonly ToolSchema[] = [];
  const current = (): readonly Tool[] => {
    const all = tools();
    return all.filter((tool, index) => all.findIndex(({ name }) => name === tool.name) === index);
  };
  return {
    current,
    schemas() {
      const now = current().map(({ schema }) => schema);
      for (const { name } of now) offered.add(name);
      const isSame = now.length === last.length && now.every((schema, index) => schema === last[index]);
      if (!isSame) last = now;
      return last;
    },
    find: (name) => tools().find((tool) => tool.name === name),
    missing(name) {
      const names = current().map((tool) => tool.name);
      const rest = names.length === 0 ? 'There are no tools now.' : `The tools are: ${names.join(', ')}.`;
      return offered.has(name)
        ? `The tool "${name}" is no longer available. ${rest}`
        : `There is no tool named "${name}". ${rest}`;
    },
  };
}
