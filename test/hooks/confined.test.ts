/** Hooks that may run the model's code: real processes, with a sandbox that is only a shell. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HookCall } from '../../src/protocol/extensions/hooks.ts';
import type { ConfinedRun, SettingsProgram, SettingsRun } from '../../src/protocol/settingsPrograms.ts';
import { bench, command } from './bench.ts';

const never = new AbortController().signal;
const before: HookCall = {
  event: 'PreToolUse',
  subject: 'Bash',
  input: { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'ls' } },
};

function programs(decide: (program: SettingsProgram) => Partial<SettingsRun>) {
  const released: string[] = [];
  return {
    released,
    programs: {
      admit: async (program: SettingsProgram): Promise<SettingsRun> => {
        const run = decide(program);
        if (run.type !== 'confined') return run as SettingsRun;
        const confined: ConfinedRun = {
          type: 'confined',
          launch: (shell, script) => ({
            ...{ program: shell, args: ['-c', `echo inside >&2; ${script}`], inherit: [] },
            env: program.env,
          }),
          advice: () => 'It ran in the sandbox.',
          release: () => void released.push(program.command),
        };
        return confined;
      },
    },
  };
}

const says = (answer: object): string => `cat > /dev/null; echo '${JSON.stringify(answer)}'`;
const decision = (permissionDecision: string) => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, updatedInput: { command: 'rm x' } },
});

test('a confined hook can deny a call but neither allow nor change one', async () => {
  const { programs: given, released } = programs(() => ({ type: 'confined' }));
  const allowing = await bench({ PreToolUse: command(says(decision('allow'))) }, { programs: given });
  const answer = await allowing.runner.run(before, never);
  expect(answer.runs[0]).toMatchObject({ outcome: 'ok', stderr: 'inside\n' });
  expect(answer.permission).toBeUndefined();
  expect(answer.updatedInput).toBeUndefined();
  const denying = await bench({ PreToolUse: command(says(decision('deny'))) }, { programs: given });
  expect((await denying.runner.run(before, never)).permission?.behavior).toBe('deny');
  expect(released).toHaveLength(2);
});

test('a confined hook that fails, or ends with exit code 2, says what to do', async () => {
  const { programs: given } = programs(() => ({ type: 'confined' }));
  const failing = await bench({ PostToolUse: command('echo no >&2; exit 1') }, { programs: given });
  const [run] = (await failing.runner.run({ event: 'PostToolUse', input: {} }, never)).runs;
  expect(run?.problem).toBe('exit code 1: inside no. It ran in the sandbox.');
  const blocking = await bench({ PostToolUse: command('echo no >&2; exit 2') }, { programs: given });
  const { blocks } = await blocking.runner.run({ event: 'PostToolUse', input: {} }, never);
  expect(blocks[0]?.text).toBe('inside\nno\n(It ran in the sandbox.)');
});

test.each([
  ['project', true],
  ['local', true],
  ['user', false],
  ['flag', false],
] as const)('whether the folder defines a hook is known when it starts: %s', async (scope, isOfFolder) => {
  const seen: SettingsProgram[] = [];
  const { programs: given } = programs((program) => {
    seen.push(program);
    return { type: 'outside' };
  });
  const { runner } = await bench({ PostToolUse: command('true') }, { programs: given }, scope);
  await runner.run({ event: 'PostToolUse', input: {} }, never);
  expect(seen[0]?.ofFolder).toEqual(isOfFolder ? { command: 'true' } : undefined);
});

test('a confined hook sets no variables: the file that it would write is read outside', async () => {
  const seen: SettingsProgram[] = [];
  const { programs: given } = programs((program) => {
    seen.push(program);
    return { type: 'confined' };
  });
  const { runner } = await bench(
    { SessionStart: command('echo "export A=1" >> "$CLAUDE_ENV_FILE"') },
    { programs: given },
  );
  await runner.run({ event: 'SessionStart', input: {} }, never);
  expect(runner.variables()).toEqual({});
  expect(seen[0]).toMatchObject({ role: 'hook' });
});

test('a hook that must not run fails; one that may guard calls leaves them to the user', async () => {
  const held = (isUnasked: boolean) => programs(() => ({ type: 'held', problem: 'Not run.', isUnasked }));
  const touch = 'touch made';
  const unasked = await bench({ PreToolUse: command(touch) }, { programs: held(true).programs });
  const answer = await unasked.runner.run(before, never);
  expect(answer.permission).toMatchObject({ behavior: 'ask', reason: 'Not run.' });
  expect(answer.runs[0]).toMatchObject({ outcome: 'failed', problem: 'Not run.' });
  expect(existsSync(join(unasked.root, 'made'))).toBe(false);
  const declined = await bench({ PreToolUse: command(touch) }, { programs: held(false).programs });
  expect((await declined.runner.run(before, never)).permission).toBeUndefined();
  const strict = await bench(
    { PreToolUse: command(touch, { onFailure: 'block' }) },
    { programs: held(false).programs },
  );
  expect((await strict.runner.run(before, never)).permission?.behavior).toBe('deny');
});

test('a confined guard that fails leaves the call to the user, so that changing a file does not turn it off', async () => {
  const { programs: given } = programs(() => ({ type: 'confined' }));
  const failing = await bench({ PreToolUse: command('echo no >&2; exit 1') }, { programs: given });
  expect((await failing.runner.run(before, never)).permission).toMatchObject({
    behavior: 'ask',
    reason: 'A hook that may guard this call failed: exit code 1: inside no. It ran in the sandbox.',
  });
  const passing = await bench({ PreToolUse: command('exit 0') }, { programs: given });
  expect((await passing.runner.run(before, never)).permission).toBeUndefined();
});
