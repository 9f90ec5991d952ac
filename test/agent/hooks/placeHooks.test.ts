/** Hooks for the current folder and watched files, with a real agent. */
import { expect, test } from 'vitest';
import { calls, says } from '../scriptedModel.ts';
import { ok, smallTool } from '../smallTools.ts';
import { startAgent } from '../testAgent.ts';
import { scriptedHooks } from './scriptedHooks.ts';

const bash = smallTool('Bash', {
  run: ({ to }, context) => {
    if (typeof to === 'string') context.setCwd(to);
    return ok('ran');
  },
});

test('if a call changes the folder, CwdChanged hooks run before anything else', async () => {
  const port = scriptedHooks({ CwdChanged: {}, PostToolUse: {}, FileChanged: {} });
  const on = await startAgent({
    hooks: { port, origin: 'startup' },
    tools: [bash],
    answers: [calls(['1', 'Bash', { to: '/there' }], ['2', 'Bash', {}]), says('Done.')],
  });
  const [start] = port.watched;
  await on.ask('Go');
  expect(port.told()).toEqual(['CwdChanged', 'PostToolUse:Bash', 'PostToolUse:Bash']);
  expect(port.calls[0]?.input).toMatchObject({ old_cwd: start?.cwd, new_cwd: '/there', cwd: '/there' });
  expect(port.watched.at(-1)).toEqual({ cwd: '/there', paths: [] });
});

test('files that a hook names are watched, and newer names replace older ones', async () => {
  const port = scriptedHooks({
    SessionStart: { watchPaths: ['/a', '/b'] },
    FileChanged: { watchPaths: ['/c'] },
  });
  const on = await startAgent({ hooks: { port, origin: 'startup' }, tools: [bash], answers: [says('Hi.')] });
  expect(port.watched).toMatchObject([{ paths: [] }]);
  await on.ask('Go');
  expect(port.watched.at(-1)).toMatchObject({ paths: ['/a', '/b'] });
  port.change({ path: '/somewhere/b', event: 'unlink' });
  await expect.poll(() => port.watched.at(-1)).toMatchObject({ paths: ['/c'] });
  expect(port.calls.at(-1)).toMatchObject({
    ...{ event: 'FileChanged', subject: 'b' },
    input: { file_path: '/somewhere/b', event: 'unlink' },
  });
});

test('a subagent has its own folder, but watches nothing', async () => {
  const port = scriptedHooks({ CwdChanged: {}, FileChanged: {} });
  const agent = { id: 'a1', type: 'explorer', sessionId: 'parent' };
  const on = await startAgent({
    hooks: { port, origin: 'startup', agent },
    tools: [bash],
    answers: [calls(['1', 'Bash', { to: '/there' }]), says('Done.')],
  });
  await on.ask('Go');
  expect(port.watched).toEqual([]);
  expect(port.calls[0]?.input).toMatchObject({ agent_id: 'a1', new_cwd: '/there' });
});
