/** The host's functions that are called for events. */
import type { Kit, Script } from '../play.ts';

const write = ({ path }: Kit) => ({
  calls: [{ name: 'Write', input: { file_path: path('made.txt'), content: 'made\n' } }],
});
const read = ({ path }: Kit) => ({ calls: [{ name: 'Read', input: { file_path: path('a.txt') } }] });
const done = { text: 'Done.' };
const told = ({ calls }: Kit, word: string): number =>
  calls.findIndex(({ messages, system }) =>
    (JSON.stringify(messages) + JSON.stringify(system)).includes(word),
  );

type Input = Record<string, unknown>;

/** Hooks for one event that return the answers one after another, and then nothing. */
function hooksOf(event: string, answers: readonly object[], matcher?: string) {
  const inputs: Input[] = [];
  const hook = async (input: Input): Promise<object> => {
    inputs.push(input);
    return answers[inputs.length - 1] ?? {};
  };
  const entry = { ...(matcher === undefined ? {} : { matcher }), hooks: [hook] };
  return { inputs, hooks: { [event]: [entry] } };
}

const output = (hookEventName: string, more: object): object => ({
  hookSpecificOutput: { hookEventName, ...more },
});

export const hookScripts: readonly Script[] = [
  {
    name: 'a hook denies a call',
    covers: ['hooks'],
    async play(kit) {
      kit.script(read(kit), done);
      const deny = { permissionDecision: 'deny', permissionDecisionReason: 'NOT THIS FILE' };
      const { hooks, inputs } = hooksOf('PreToolUse', [output('PreToolUse', deny)], 'Read');
      const messages = await kit.run('read', { hooks });
      return { messages, tool: inputs[0]?.tool_name, told: told(kit, 'NOT THIS FILE') };
    },
  },
  {
    name: 'a hook allows a call',
    covers: ['hooks'],
    async play(kit) {
      kit.script(write(kit), done);
      const { hooks } = hooksOf('PreToolUse', [output('PreToolUse', { permissionDecision: 'allow' })]);
      const messages = await kit.run('write', { hooks });
      return { messages, made: await kit.read('made.txt') };
    },
  },
  {
    name: 'a hook changes a call',
    covers: ['hooks'],
    async play(kit) {
      kit.script(write(kit), done);
      const updatedInput = { file_path: kit.path('made.txt'), content: 'by the hook\n' };
      const answer = output('PreToolUse', { permissionDecision: 'allow', updatedInput });
      const messages = await kit.run('write', { hooks: hooksOf('PreToolUse', [answer]).hooks });
      return { messages, made: await kit.read('made.txt') };
    },
  },
  {
    name: 'a hook adds to a result',
    covers: ['hooks'],
    async play(kit) {
      kit.script(read(kit), done);
      const answer = output('PostToolUse', { additionalContext: 'MIND THE GAP' });
      const { hooks, inputs } = hooksOf('PostToolUse', [answer]);
      const messages = await kit.run('read', { hooks });
      return { messages, tool: inputs[0]?.tool_name, told: told(kit, 'MIND THE GAP') };
    },
  },
  {
    name: 'a hook blocks a prompt',
    covers: ['hooks'],
    async play(kit) {
      kit.script(done);
      const { hooks, inputs } = hooksOf('UserPromptSubmit', [{ decision: 'block', reason: 'NO' }]);
      await kit.run('hello', { hooks }).catch(() => undefined);
      return { calls: kit.calls.length, prompt: inputs[0]?.prompt };
    },
  },
  {
    name: 'a hook adds to a prompt',
    covers: ['hooks'],
    async play(kit) {
      kit.script(done);
      const answer = output('UserPromptSubmit', { additionalContext: 'IT RAINS' });
      const messages = await kit.run('hello', { hooks: hooksOf('UserPromptSubmit', [answer]).hooks });
      return { messages, told: told(kit, 'IT RAINS') };
    },
  },
  {
    name: 'a hook keeps the model at work',
    covers: ['hooks'],
    async play(kit) {
      kit.script({ text: 'Almost.' }, done);
      const { hooks, inputs } = hooksOf('Stop', [{ decision: 'block', reason: 'TEST IT FIRST' }]);
      const messages = await kit.run('hello', { hooks });
      return {
        messages,
        active: inputs.map(({ stop_hook_active }) => stop_hook_active),
        told: told(kit, 'TEST IT FIRST'),
      };
    },
  },
  {
    name: 'a hook at the start of a session',
    covers: ['hooks'],
    async play(kit) {
      kit.script(done);
      const answer = output('SessionStart', { additionalContext: 'RELEASE WEEK' });
      const { hooks, inputs } = hooksOf('SessionStart', [answer]);
      const messages = await kit.run('hello', { hooks });
      return { messages, source: inputs[0]?.source, told: told(kit, 'RELEASE WEEK') };
    },
  },
  {
    name: 'hooks in the output',
    covers: ['includeHookEvents'],
    async play(kit) {
      kit.script(read(kit), done);
      const { hooks } = hooksOf('PreToolUse', []);
      const messages = await kit.run('read', { hooks, includeHookEvents: true });
      const kinds = messages
        .filter(({ hook_event }) => hook_event === 'PreToolUse')
        .map(({ subtype }) => subtype);
      return { messages, kinds };
    },
  },
];
