import { isAbsolute, resolve } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isInside } from '../../../src/disk/paths.ts';
import { ledPrograms } from '../../../src/tools/shell/steeringVariables.ts';

type LedPrograms = ReturnType<typeof ledPrograms>;

const isOutside = (path: string): boolean => isAbsolute(path) && !isInside(resolve(path), '/srv/app');
const led = (env: Record<string, string>): LedPrograms => ledPrograms(env, { home: '/home/u', isOutside });

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
  ['PWD', '/srv/app'],
  ['CLAUDE_PROJECT_DIR', '/srv/app'],
  ['TMPDIR', '/srv/app/tmp'],
  ['_', '/srv/app/node_modules/.bin/clawdcode'],
  ['out', '/srv/app/outputs/out'],
  ['DBUS_SESSION_BUS_ADDRESS', 'unix:abstract=/srv/app/bus,guid=1'],
  ['SHELL', '/bin/zsh'],
  ['CURL_HOME', '/home/u/.config'],
  ['NPM_CONFIG_UPDATE_NOTIFIER', 'false'],
  ['PYTHONHASHSEED', 'random'],
  ['RUSTFLAGS', '-C target-cpu=native'],
  ['GOFLAGS', '-mod=vendor'],
  ['LDFLAGS', '-L/opt/lib -Wl,-rpath,/opt/lib'],
  ['LS_COLORS', '*.tar=01;31:*.gz=01;31'],
  ['MANPATH', ':/opt/man'],
  ['DATABASE_URL', 'postgres://u@db/srv/app'],
  ['OPENAI_BASE_URL', 'http://127.0.0.1:11434/v1'],
  ['HTTPS_PROXY', 'http://proxy.example.com:3128'],
  ['NO_PROXY_FOR', 'https://a.example:8443/x,http://localhost:80'],
  ['SOME_CONFIG', '{"a": 1}'],
  ['SOME_CACHE', 'true'],
  ['NODE_COMPILE_CACHE', '/home/u/.cache/node'],
])('%s=%s leads to no code of the workspace', (name, value) => {
  expect(led({ [name]: value })).toBe('none');
});

test.each([
  ['NODE_COMPILE_CACHE', '.cache/node'],
  ['NODE_COMPILE_CACHE', '/srv/app/.cache'],
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
  // Whatever its name, its value lies in the workspace.
  ...[
    ...[
      '/srv/app',
      '/srv/app/x',
      '/opt/x:/srv/app/x',
      '-I/srv/app/x',
      '--x=/srv/app/a b',
      '--x /srv/app/a b',
    ],
    ...[
      'file:///srv/app/x',
      '"/srv/app/x"',
      '@/srv/app/x',
      '%/srv/app/x',
      './x',
      '-x ../x',
      '/opt/../srv/app/x',
    ],
    ...['a,/srv/app/x', '~/../../srv/app', 'exec $HOME/../../srv/app/x', '{"a": "/srv/app/x"}'],
  ].flatMap((value) => ['GTK_PATH', 'ANYTHING', 'XDG_CONFIG_HOME'].map((name) => [name, value])),
  ['HOME', '/srv/app/home'],
  ['SHELL', './sh'],
  // By convention, these names are files and folders.
  ...['CURL_HOME', 'WGETRC', 'INPUTRC', 'XDG_CONFIG_HOME', 'GTK_PATH', 'TERMINFO_DIRS', 'SSL_CERT_FILE'].map(
    (name) => [name, 'x/y.z'],
  ),
  ['RUSTC_WRAPPER', 'bin/wrap'],
  ['SUDO_ASKPASS', 'node ask.js'],
])('%s=%s may lead to code of the workspace', (name, value) => {
  expect(led({ [name as string]: value as string })).toBe('all');
});

test.each([
  ['VIRTUAL_ENV', '/srv/app/.venv'],
  ['npm_package_json', '/srv/app/package.json'],
  ['NPM_CONFIG_USERCONFIG', '/srv/app/.npmrc'],
  ['PIP_CONFIG_FILE', 'pip.conf'],
  ['CARGO_TARGET_DIR', 'target'],
  ['GOPATH', '/srv/app/go'],
  ['MAVEN_OPTS', '-javaagent:agent.jar'],
  ['CI_PROJECT_DIR', '/srv/app'],
  ['COMPOSE_FILE', 'compose.yml:compose.dev.yml'],
])('%s=%s only affects programs about which nothing is known', (name, value) => {
  expect(led({ [name]: value })).toBe('unknown');
  expect(led({ [name]: value, GTK_PATH: '/srv/app' })).toBe('all');
});

test('git settings in pairs of variables are read with their names', () => {
  const pair = (key: string, value: string) => led({ GIT_CONFIG_KEY_0: key, GIT_CONFIG_VALUE_0: value });
  expect(pair('safe.directory', '/srv/app')).toBe('none');
  expect(pair('core.fsmonitor', 'false')).toBe('none');
  expect(pair('core.fsmonitor', './x')).toBe('all');
  expect(pair('core.hooksPath', '.githooks')).toBe('all');
  expect(pair('core.hooksPath', '/home/u/hooks')).toBe('none');
});

test('a list with any entry in the workspace, relative or empty, is found at any position', () => {
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
      expect(led({ [variable]: parts.join(':') })).toBe('none');
      const mixed = [...parts.slice(0, at), bad, ...parts.slice(at)].join(':');
      expect(led({ [variable]: mixed })).toBe('all');
    }),
  );
});
