import { isAbsolute } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isInside } from '../../../src/disk/paths.ts';
import { workspaceVariable } from '../../../src/tools/shell/steeringVariables.ts';

const isOutside = (path: string): boolean => isAbsolute(path) && !isInside(path, '/srv/app');
const found = (env: Record<string, string>): string | undefined =>
  workspaceVariable(env, '/home/u', isOutside);

test.each([
  ['PATH', '/usr/bin:/bin'],
  ['PYTHONPATH', '/opt/lib'],
  ['PYTHONPATH', ''],
  ['LD_PRELOAD', 'libjemalloc.so /opt/x.so'],
  ['NODE_OPTIONS', '--max-old-space-size=8192 --no-warnings --require /opt/hook.cjs'],
  ['NODE_OPTIONS', '--dns-result-order=ipv4first --import=/opt/x.mjs'],
  ['RUBYOPT', '-W0 --yjit'],
  ['JAVA_TOOL_OPTIONS', '-Xmx512m -Dfile.encoding=UTF-8 -XX:+UseG1GC -XX:HeapDumpPath=/var/dumps'],
  ['MAKEFLAGS', '-j8'],
  ['GREP_OPTIONS', '--color=auto'],
  ['PYTHONBREAKPOINT', 'ipdb.set_trace'],
  ['PAGER', 'less -R'],
  ['EDITOR', 'code --wait'],
  ['LESSOPEN', '| /usr/bin/lesspipe %s'],
  ['GIT_SSH_COMMAND', 'ssh -i ~/.ssh/work -o IdentitiesOnly=yes'],
  ['GIT_AUTHOR_NAME', 'A/B'],
  ['GIT_BRANCH', 'origin/main'],
  ['GIT_CONFIG_GLOBAL', '/home/u/.gitconfig'],
  ['LUA_PATH', '/opt/?.lua;;'],
  ['CDPATH', '.:/home/u'],
  ['VIRTUAL_ENV', '/srv/app/.venv'],
  ['PWD', '/srv/app'],
])('%s=%s leads to no code of the workspace', (name, value) => {
  expect(found({ [name]: value })).toBeUndefined();
});

test.each([
  ...['PATH', 'PYTHONPATH', 'NODE_PATH', 'RUBYLIB', 'PERL5LIB', 'LD_LIBRARY_PATH', 'LD_AUDIT', 'CLASSPATH']
    .flatMap((name) =>
      ['lib', './lib', '/srv/app/lib', '/opt/lib:', ':/opt/lib', '/opt/lib:../lib'].map((value) => [
        name,
        value,
      ]),
    )
    .filter(([name, value]) => !(name === 'LD_AUDIT' && value === 'lib')),
  ['CLASSPATH', ''],
  ['LD_PRELOAD', './x.so'],
  ['LD_PRELOAD', 'libc.so /srv/app/x.so'],
  ['DYLD_INSERT_LIBRARIES', 'x.dylib'],
  ...[
    'BASH_ENV',
    'ENV',
    'ZDOTDIR',
    'PYTHONSTARTUP',
    'GIT_EXEC_PATH',
    'GIT_TEMPLATE_DIR',
    'GIT_CONFIG_GLOBAL',
  ].map((name) => [name, '/srv/app/x']),
  ['BASH_ENV', 'env.sh'],
  ['NODE_OPTIONS', '--require ./x.js'],
  ['NODE_OPTIONS', '--require=tsx'],
  ['NODE_OPTIONS', '--import tsx'],
  ['NODE_OPTIONS', '--env-file=.env'],
  ['RUBYOPT', '-rbundler/setup'],
  ['RUBYOPT', '-Ilib'],
  ['PERL5OPT', '-Mlib=./x'],
  ['PERL5OPT', '-I. -MFoo'],
  ['JAVA_TOOL_OPTIONS', '-javaagent:agent.jar'],
  ['JAVA_TOOL_OPTIONS', '-javaagent:x.jar=/opt/y'],
  ['JAVA_TOOL_OPTIONS', '-Djava.library.path=lib'],
  ['JAVA_TOOL_OPTIONS', '-Xbootclasspath/a:./x'],
  ['MAKEFLAGS', '-I make'],
  ['TAR_OPTIONS', '--use-compress-program=./x'],
  ['GIT_SSH_COMMAND', './ssh'],
  ['GIT_SSH_COMMAND', 'ssh -F config/ssh'],
  ['GIT_EDITOR', 'node edit.js'],
  ['GIT_PAGER', '/srv/app/pager'],
  ['PAGER', '$PROJECT/pager'],
  ['LESSOPEN', '|./x %s'],
  ['BASH_FUNC_ls%%', '() { ./evil; }'],
  ['GIT_CONFIG_PARAMETERS', "'core.hooksPath'='hooks'"],
  ['LUA_PATH', './?.lua;;'],
  ['LUA_INIT', '@init.lua'],
  ['LUA_INIT', 'dofile("x.lua")'],
  ['PYTHONPYCACHEPREFIX', '.cache'],
])('%s=%s may lead to code of the workspace', (name, value) => {
  expect(found({ [name as string]: value as string })).toBe(name);
});

test('settings of git in pairs of variables are read with their names', () => {
  const pair = (key: string, value: string) => found({ GIT_CONFIG_KEY_0: key, GIT_CONFIG_VALUE_0: value });
  expect(pair('safe.directory', '/srv/app')).toBeUndefined();
  expect(pair('core.fsmonitor', 'false')).toBeUndefined();
  expect(pair('core.fsmonitor', './x')).toBe('GIT_CONFIG_VALUE_0');
  expect(pair('core.hooksPath', '.githooks')).toBe('GIT_CONFIG_VALUE_0');
  expect(pair('core.hooksPath', '/home/u/hooks')).toBeUndefined();
});

test('a list with any part in the workspace, relative or empty is found, wherever it is', () => {
  const outside = fc.constantFrom('/opt/a', '/home/u/lib', '/usr/lib');
  const inside = fc.constantFrom('', '.', 'x', './x', '../x', '/srv/app', '/srv/app/x');
  const name = fc.constantFrom(
    'PYTHONPATH',
    'NODE_PATH',
    'RUBYLIB',
    'PERL5LIB',
    'LD_LIBRARY_PATH',
    'PATH',
    'AWKPATH',
  );
  fc.assert(
    fc.property(name, fc.array(outside, { minLength: 1 }), inside, fc.nat(9), (variable, parts, bad, at) => {
      expect(found({ [variable]: parts.join(':') })).toBeUndefined();
      const mixed = [...parts.slice(0, at), bad, ...parts.slice(at)].join(':');
      expect(found({ [variable]: mixed })).toBe(variable);
    }),
  );
});
