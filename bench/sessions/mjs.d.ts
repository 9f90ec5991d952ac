/** The measures that all benches share are plain JavaScript. */
declare module '*/memory.mjs' {
  /** Bytes of a process and its children. */
  export function treeMemory(pid: number): number;
}

declare module '*/screenStart.mjs' {
  export function interactiveStart(
    program: string,
    options: {
      readonly cwd: string;
      readonly env: Readonly<Record<string, string | undefined>>;
      readonly args?: readonly string[];
      readonly ready?: RegExp;
    },
  ): Promise<{ readonly typedMs: number; readonly readyMs: number; readonly bytes: number }>;
}
