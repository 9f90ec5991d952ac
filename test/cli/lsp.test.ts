/** Whether language servers may start. */
import { expect, test } from 'vitest';
import { outsideWith, refusalIn } from '../../src/cli/lsp.ts';
import type { SandboxState } from '../../src/protocol/sandbox.ts';
import { unconfined } from '../../src/sandbox/confinement.ts';

const on: SandboxState = { type: 'on', mode: 'workspace-write' };
const missing: SandboxState = { type: 'unavailable', reason: 'r', fix: 'f' };
const off: SandboxState = { type: 'off', reason: 'r' };
const held = [{ file: '.clawdcode.json', key: 'model', value: 'x', effect: 'e', count: 1 }];
const files = (['user', 'project', 'local'] as const).map((layer) => ({
  ...{ layer, path: `/${layer}`, name: layer, state: 'loaded' as const },
}));

test.each([
  ['in a sandbox', on, { isTrusted: false }, undefined],
  ['run in a sandbox, in an untrusted folder', on, { isTrusted: false, untrusted: held }, /not trusted/],
  ['do not run without a sandbox', missing, { isTrusted: false }, /not trusted/],
  [
    'without a sandbox, in a trusted folder',
    missing,
    { isTrusted: true },
    /"lsp": true in your own settings/,
  ],
  ['with the sandbox switched off, in a trusted folder', off, { isTrusted: true }, /"lsp": true/],
  ['if the folder asks for them', missing, { isTrusted: true, source: 'project' }, /"lsp": true/],
  ['if the folder’s local file asks for them', missing, { isTrusted: true, source: 'local' }, /"lsp": true/],
  ['if the user asks for them', missing, { isTrusted: true, source: 'user' }, undefined],
  ['if a flag asks for them', missing, { isTrusted: true, source: '--settings' }, undefined],
  ['if the user asks for them, elsewhere', missing, { isTrusted: false, source: 'user' }, /not trusted/],
] as const)('servers %s', async (_, state, given, refusal) => {
  const { isTrusted, untrusted = [], source } = { untrusted: [], source: undefined, ...given };
  const sources = source === undefined ? {} : { lsp: source };
  const said = await refusalIn({
    loaded: { untrusted, sources, files },
    sandbox: { state: async () => state },
    isTrusted,
  });
  if (refusal === undefined) expect(said).toBeUndefined();
  else expect(said).toMatch(refusal);
});

test.each([
  [on, {}],
  [missing, { PYTHONPYCACHEPREFIX: '/own' }],
])('a server gets the environment for programs outside the sandbox only there: %j', async (state, env) => {
  const { confine } = outsideWith({
    sandbox: { state: async () => state, confine: async (request) => unconfined('test', request.env) },
    compiledCode: (given) => ({ ...given, PYTHONPYCACHEPREFIX: '/own' }),
  });
  const grant = { basis: 'read-only', reason: '' } as const;
  const { launch } = await confine({ command: 'pylsp', cwd: '/p', grant, env: {}, scratch: '/s' });
  expect(launch('sh', []).env).toEqual(env);
});
