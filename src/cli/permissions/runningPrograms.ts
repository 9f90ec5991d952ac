/**
 * Programs that were started outside the sandbox and are still running, such as MCP servers. Once files were changed
 * without the user's approval, those that would now be confined are restarted, since they may load what has changed.
 */
import type { SettingsProgram, SettingsRun } from '../../protocol/settingsPrograms.ts';

interface RunningPrograms {
  /** Decides for one start, and remembers a program that can be restarted. */
  admit(program: SettingsProgram): Promise<SettingsRun>;
  isEmpty(): boolean;
  /** Restarts those that would not be started outside now. Never rejects. */
  confine(): Promise<void>;
}

/** `decide` never rejects. `workspace`: paths of its folders. */
export function createRunningPrograms(
  decide: (program: SettingsProgram) => Promise<SettingsRun>,
  { workspace, warn }: { readonly workspace: readonly string[]; readonly warn: (text: string) => void },
): RunningPrograms {
  const outside = new Set<SettingsProgram>();
  /** False for one that was started in an empty folder and is told of no other. */
  const mayReload = ({ isApart, command, args = [] }: SettingsProgram): boolean =>
    isApart !== true || [command, ...args].some((word) => workspace.some((folder) => word.includes(folder)));
  const confineOne = async (program: SettingsProgram): Promise<void> => {
    const run = await decide(program);
    if (run.type === 'outside') return;
    if (run.type === 'confined') run.release();
    const what =
      run.type === 'held'
        ? run.problem
        : `Your ${program.role} restarts in the sandbox: files were changed without your approval (/hooks).`;
    warn(what);
    await program.restart?.().catch(() => undefined);
  };
  return {
    async admit(program) {
      // Before the decision: files may change meanwhile.
      const isKept = program.restart !== undefined && mayReload(program);
      if (isKept) outside.add(program);
      const run = await decide(program);
      if (!isKept) return run;
      const release = (): void => void outside.delete(program);
      if (run.type === 'outside') return { ...run, release };
      release();
      return run;
    },
    isEmpty: () => outside.size === 0,
    async confine() {
      const programs = [...outside];
      outside.clear();
      await Promise.all(programs.map(confineOne));
    },
  };
}
