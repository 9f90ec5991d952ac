import { describe, expect, test } from 'vitest';
import { whyBlocked, whyGitBlocked } from '../../src/sandbox/blocked.ts';
import { englishMessages, withoutTokens } from '../../src/sandbox/environment.ts';
import { bubblewrapArguments } from '../../src/sandbox/linux/bubblewrap.ts';
import { otherPaths, readMounts } from '../../src/sandbox/linux/mountCheck.ts';
import { callFilter } from '../../src/sandbox/linux/seccomp.ts';
import { readServerName } from '../../src/sandbox/network/proxy.ts';
import { hiddenNeed, planCommand, type SandboxPlaces } from '../../src/sandbox/plan.ts';
import { seatbeltProfile } from '../../src/sandbox/seatbelt.ts';
import { staysInside } from '../../src/sandbox/temporary/shownEntries.ts';
import {
  isDocument,
  namesOnPaths,
  namesWritten,
  programNames,
} from '../../src/sandbox/temporary/temporaryNames.ts';

const places: SandboxPlaces = {
  workspace: ['/home/u/p'],
  temporary: ['/tmp'],
  privateTemporary: [],
  needed: [],
  gitFolders: [],
  closedGitFolders: [],
  protected: ['/home/u/p/.git/hooks', '/home/u/p/.git/config', '/home/u/p/.clawdcode.json'],
  hidden: [
    { path: '/home/u/.ssh', isDirectory: true },
    { path: '/home/u/.netrc', isDirectory: false },
    { path: '/home/u/.clawdcode', isDirectory: true },
  ],
  alwaysHidden: [],
  projectSecrets: ['/home/u/p/.env'],
  readable: ['/home/u/.clawdcode/projects/p/blobs'],
  elsewhere: { hidden: [{ path: '/home/u/docs', isDirectory: true }], readable: [] },
  writable: ['/home/u/.clawdcode/cache/sandbox'],
  scratchParent: '/tmp/clawdcode-1',
};
const where = { cwd: '/home/u/p', scratch: '/tmp/clawdcode-1/x' };

describe('a plan', () => {
  test('lets an approved command write in the workspace', () => {
    const plan = planCommand('workspace-write', 'user', where, places);
    expect(plan).toMatchObject({ mode: 'workspace-write', network: 'session', pinned: ['/home/u/p/.git'] });
    expect(plan.writable).toContain('/home/u/p');
  });

  test.each([
    ['workspace-write', 'read-only', 'none', true],
    ['read-only', 'user', 'session', false],
  ] as const)(
    'gives a command no write access in mode %s with basis %s',
    (mode, basis, network, hidesEnv) => {
      const plan = planCommand(mode, basis, where, places);
      expect(plan).toMatchObject({ mode: 'read-only', writable: [], network });
      expect(plan.hidden.some(({ path }) => path === '/home/u/p/.env')).toBe(hidesEnv);
    },
  );
});

test('no part of a plan exposes paths that managed settings hide, on Linux or macOS', () => {
  const vault = '/home/u/p/vault';
  const inside = (name: string) => `${vault}/${name}`;
  const opened: SandboxPlaces = {
    ...places,
    workspace: [...places.workspace, inside('added')],
    temporary: [inside('tmp')],
    gitFolders: [inside('git')],
    protected: [inside('p/.git/hooks')],
    readable: [vault, inside('shown')],
    writable: [inside('cache')],
    hidden: [...places.hidden, { path: inside('.ssh'), isDirectory: true }],
    elsewhere: { hidden: [], readable: [inside('docs')] },
    alwaysHidden: [{ path: vault, isDirectory: true }],
  };
  for (const basis of ['user', 'read-only'] as const) {
    const plan = planCommand('workspace-write', basis, where, opened);
    const paths = [
      plan.writable,
      plan.readable,
      plan.protected,
      plan.pinned,
      plan.hidden.map(({ path }) => path),
    ];
    expect(paths.flat().filter((path) => path.startsWith(vault))).toEqual([vault]);
    expect(plan.hidden.at(-1)).toEqual({ path: vault, isDirectory: true, isClosed: true });
    const lines = seatbeltProfile(plan)
      .split('\n')
      .filter((line) => line.includes(vault));
    expect(lines).toEqual([`(deny file* (subpath "${vault}"))`]);
    expect(bubblewrapArguments(plan).filter((word) => word.startsWith(vault))).toEqual([vault, vault]);
  }
});

test('if the whole machine is the workspace, devices and processes are excluded and protected files stay protected', () => {
  const plan = planCommand('workspace-write', 'user', where, { ...places, workspace: ['/'] });
  expect(plan.protected).toEqual(places.protected);
  const words = bubblewrapArguments(plan).join(' ');
  expect(words).toMatch(/ --bind \/ \/ .*--dev \/dev --proc \/proc .*--ro-bind-try \/proc\/sys /);
  expect(words.match(/bind \/ \//g)).toHaveLength(1);
});

const isOrdered = (places: readonly number[]): boolean =>
  !places.includes(-1) && [...places].sort((a, b) => a - b).join() === places.join();

test('bubblewrap mounts outer paths before inner ones', () => {
  const plan = planCommand('workspace-write', 'user', where, { ...places, temporary: ['/tmp', '/home'] });
  const words = bubblewrapArguments(plan, { filter: 3 }).join(' ');
  const chains = [
    [
      '--ro-bind / /',
      '--proc /proc --ro-bind-try /proc/sys',
      '--bind /home /home',
      '--bind /home/u/p /home/u/p',
      '--bind /home/u/p/.git /home/u/p/.git',
      '--ro-bind-try /home/u/p/.git/hooks',
      '--seccomp 3',
      '--chdir /home/u/p --',
    ],
    ['--bind /home /home', '--tmpfs /home/u/.ssh', '--remount-ro /home/u/.ssh'],
    [
      '--tmpfs /home/u/.clawdcode',
      '--bind /home/u/.clawdcode/cache/sandbox',
      '--ro-bind-try /home/u/.clawdcode/projects/p/blobs',
    ],
  ];
  for (const chain of chains) expect(chain.map((part) => words.indexOf(part))).toSatisfy(isOrdered);
});

describe('a plan for nested paths', () => {
  const plan = (more: Partial<SandboxPlaces>) =>
    planCommand('workspace-write', 'user', where, {
      ...places,
      protected: [],
      hidden: [],
      readable: [],
      ...more,
    });

  test('pins every parent folder of hidden or protected paths and workspaces', () => {
    const { pinned } = plan({
      writable: ['/home/u'],
      workspace: ['/tmp/a/b/p'],
      protected: ['/tmp/a/b/p/.git/hooks'],
      hidden: [{ path: '/home/u/.config/gh', isDirectory: true }],
    });
    for (const folder of ['/tmp/a', '/tmp/a/b', '/tmp/a/b/p/.git', '/home/u/.config'])
      expect(pinned).toContain(folder);
  });

  test('exposes nothing in a hidden folder, even a path that is also protected', () => {
    const { protected: kept } = plan({
      writable: ['/home/u'],
      hidden: [{ path: '/home/u/.ssh', isDirectory: true }],
      protected: ['/home/u/.ssh/keys', '/proc', '/', '/home/u', '/home/u/p/.vscode'],
    });
    expect(kept).toEqual(['/home/u/p/.vscode']);
  });
});

test('the macOS profile has the same rules as the plan', () => {
  const plan = planCommand('workspace-write', 'user', where, {
    ...places,
    workspace: ['/home/u/a "b"\\c', '/home/u/p'],
  });
  const profile = seatbeltProfile(plan);
  const chains = [
    ['(deny file-write*)', '(allow file-write* (subpath "/home/u/a \\"b\\"\\\\c"))', '(deny network*)'],
    [
      '(allow file-write* (subpath "/home/u/p"))',
      '(deny file-write-unlink (literal "/home/u/p/.git"))',
      '(deny file-write* (subpath "/home/u/p/.git/hooks"))',
    ],
    [
      '(deny file* (subpath "/home/u/.clawdcode"))',
      '(allow file* (subpath "/home/u/.clawdcode/cache/sandbox"))',
      '(allow file-read* (subpath "/home/u/.clawdcode/projects/p/blobs"))',
    ],
    [
      '(deny file* (literal "/home/u/.netrc"))',
      '(deny network*)',
      '(allow network-outbound (remote ip "localhost:*"))',
    ],
    [
      '(allow file-write* (subpath "/home/u/p"))',
      '(deny file-read-data file-write* (regex #"^/dev/tty(s|$)"))',
      '(allow file-read-data file-write* (require-all (regex #"^/dev/ttys") (extension "com.apple.sandbox.pty")))',
    ],
    ['(deny signal)', '(allow signal (target same-sandbox))'],
    ['(deny lsopen)', '(deny job-creation)', '(deny user-preference-write)'],
  ];
  const lines = profile.split('\n');
  for (const chain of chains) expect(chain.map((line) => lines.indexOf(line))).toSatisfy(isOrdered);
  expect(seatbeltProfile(planCommand('workspace-write', 'read-only', where, places))).not.toContain(
    'network-outbound',
  );
  // Brackets outside strings and comments are balanced.
  const bare = profile.replace(/;.*$/gm, '').replace(/#?"(?:\\.|[^"\\])*"/g, '');
  expect(bare.match(/\(/g)?.length).toBe(bare.match(/\)/g)?.length);
});

test('the macOS profile makes an entire git folder read-only', () => {
  const closed = ['/home/u/p/.git', '/home/u/other/.git'];
  const plan = planCommand('workspace-write', 'user', where, {
    ...{ ...places, closedGitFolders: closed, protected: closed, gitFolders: [] },
  });
  const lines = seatbeltProfile(plan).split('\n');
  const deny = '(deny file-write* (subpath "/home/u/p/.git"))';
  expect(['(allow file-write* (subpath "/home/u/p"))', deny].map((line) => lines.indexOf(line))).toSatisfy(
    isOrdered,
  );
  expect(lines.filter((line) => line.startsWith('(allow') && line.includes('.git'))).toEqual([]);
  expect(plan.closedGitFolders).toEqual(closed);
});

test.each([
  [{ LANG: 'de_DE.UTF-8' }, 'en'],
  [{ LANG: 'en_US.UTF-8', LC_ALL: '', LC_MESSAGES: 'fr_FR.UTF-8' }, 'en'],
  [{ LANG: 'en_US.UTF-8', LANGUAGE: 'de:en' }, 'en'],
  [{ LC_ALL: 'de_DE.UTF-8', LANGUAGE: 'en' }, undefined],
  [{ LANG: 'en_US.UTF-8' }, undefined],
  [{ LANG: 'de_DE.UTF-8', LC_ALL: 'C.UTF-8' }, undefined],
  [{}, undefined],
])('with %o, the language of programs in the sandbox is set to %s', (env, language) => {
  expect(englishMessages(env as Record<string, string>).LANGUAGE).toBe(language);
});

describe('a blocked change of a git folder', () => {
  const closed = ['/p/.git', '/elsewhere/main.git'];
  const why = (output: string, type: 'none' | 'mixed' = 'none', code = 1) =>
    whyGitBlocked(output, code, closed, { type });

  test.each([
    "fatal: Unable to create '/p/.git/index.lock': Read-only file system",
    "fatal: cannot lock ref 'HEAD': Unable to create '/p/.git/HEAD.lock': Read-only file system",
    "error: cannot open '.git/FETCH_HEAD': Read-only file system",
    'error: cannot open FETCH_HEAD: Read-only file system',
    "Error: EROFS: read-only file system, open '/p/.git/info/exclude'",
    "fatal: could not open '.git/COMMIT_EDITMSG': Read-only file system",
    'error: unable to create temporary file: Read-only file system',
    "error: update_ref failed for ref 'ORIG_HEAD': cannot lock ref 'ORIG_HEAD': Unable to create '/x/ORIG_HEAD.lock': Read-only file system",
    "fatal: Unable to create '/elsewhere/main.git/worktrees/wt/index.lock': Read-only file system",
    "fatal: Unable to create '/p/.git/index.lock': Operation not permitted",
    'mkdir: cannot create directory ‘.git/rebase-merge’: Read-only file system',
  ])('is recognized: %s', (line) => {
    expect(why(`before\n${line}\nafter`)).toEqual({
      reason: 'it tried to change the .git folder, which only git commands may do',
    });
    expect(why(line, 'mixed')?.instead).toMatch(/^Run git in a separate call/);
  });

  test.each([
    "EROFS: read-only file system, open '/etc/x'",
    "[Errno 30] Read-only file system: '.git/config'",
    "Error: EROFS: read-only file system, open '/p/.git/hooks/post-commit'",
    'error: could not lock config file .git/config: Read-only file system',
    'see .git/config\nsh: x: Read-only file system',
    "touch: cannot touch '.github/x': Read-only file system",
    "touch: cannot touch '.gitignore': Read-only file system",
  ])('is not confused with other failures: %s', (output) => expect(why(output)).toBeUndefined());

  test('is reported regardless of the exit code if git may have run before another program', () => {
    const line = "fatal: Unable to create '/p/.git/index.lock': Read-only file system";
    expect(why(line, 'none', 0)).toBeUndefined();
    expect(why(line, 'mixed', 0)).toBeDefined();
    expect(whyGitBlocked(line, 1, [], { type: 'none' })).toBeUndefined();
  });
});

describe('the environment of commands', () => {
  const env = (names: readonly string[]): Record<string, string> =>
    Object.fromEntries(names.map((name) => [name, 'v']));
  const kept = (names: readonly string[]): string[] =>
    Object.keys(withoutTokens(env(names), { granted: [], isToken: () => false }));

  test('leaves out values that contain a password field', () => {
    const given = {
      STORAGE: 'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=abc==',
      BUS: 'Endpoint=sb://a/;SharedAccessKey=abc=',
      DATABASE: 'Server=a;Database=b;User Id=c;Pwd=d;',
      LIBPQ: 'host=a password=b',
      SPRING_APPLICATION_JSON: '{"spring.datasource.password":"b"}',
      JAVA_OPTS: '-Xmx1g -Djavax.net.ssl.keyStorePassword=b',
      MAVEN_OPTS: '-Dpassword=b',
      ACCOUNT: '{"a": "-----BEGIN PRIVATE KEY-----\\nb"}',
    };
    const kept = { OPTIONS: 'resetpassword=1 a=b', EMPTY: 'Server=a;Password=;' };
    expect(withoutTokens({ ...given, ...kept }, { granted: [], isToken: () => false })).toEqual(kept);
  });

  test('leaves out git settings that contain secrets and renumbers the rest', () => {
    const given = {
      GIT_CONFIG_COUNT: '5',
      ...{ GIT_CONFIG_KEY_0: 'core.hooksPath', GIT_CONFIG_VALUE_0: '/dev/null' },
      ...{ GIT_CONFIG_KEY_1: 'http.https://a.example/.extraHeader', GIT_CONFIG_VALUE_1: 'Authorization: x' },
      ...{
        GIT_CONFIG_KEY_2: 'url.https://u:p@a.example/.insteadOf',
        GIT_CONFIG_VALUE_2: 'https://a.example/',
      },
      ...{ GIT_CONFIG_KEY_3: 'user.name', GIT_CONFIG_VALUE_3: 'token-1' },
      ...{ GIT_CONFIG_KEY_4: 'safe.directory', GIT_CONFIG_VALUE_4: '*' },
    };
    const isToken = (value: string): boolean => value === 'token-1';
    expect(withoutTokens(given, { granted: [], isToken })).toEqual({
      GIT_CONFIG_COUNT: '2',
      ...{ GIT_CONFIG_KEY_0: 'core.hooksPath', GIT_CONFIG_VALUE_0: '/dev/null' },
      ...{ GIT_CONFIG_KEY_1: 'safe.directory', GIT_CONFIG_VALUE_1: '*' },
    });
    expect(withoutTokens(given, { granted: ['GIT_CONFIG_*'], isToken })).toEqual(given);
  });

  test.each([
    'GITHUB_TOKEN',
    'ANTHROPIC_CUSTOM_HEADERS',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
    'GH_TOKEN',
    'NPM_TOKEN',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
    'ANTHROPIC_API_KEY',
    'OPENAI_APIKEY',
    'DB_PASSWORD',
    'PGPASSWORD',
    'MYSQL_PWD',
    'SENTRY_AUTH_TOKEN',
    'SENTRY_DSN',
    'STRIPE_KEY',
    'githubToken',
    'SSH_AUTH_SOCK',
    'DOCKER_AUTH_CONFIG',
    'GOOGLE_APPLICATION_CREDENTIALS_JSON',
    'SESSION_COOKIE',
    'KEY_2',
    ...[
      'SLACK_WEBHOOK_URL',
      'WALLET_MNEMONIC',
      'SEED_PHRASE',
      'AZURE_CONN_STR',
      'DB_CONNECTION_STRING',
      'SERVICE_SK',
      'BW_SESSION',
      'OP_SESSION_my',
      'SSHPASS',
      'AGE_IDENTITY',
      'LDAP_BINDPW',
      'MAIL_PW',
      'NUGET_CRED',
    ],
  ])('leaves out %s', (name) => expect(kept([name])).toEqual([]));

  test.each([
    'PATH',
    'HOME',
    'LANG',
    'TERM',
    'NODE_ENV',
    'PWD',
    'OLDPWD',
    'KEYBOARD',
    'TOKENIZERS_PARALLELISM',
    'COLORTERM',
    'JAVA_HOME',
    'EDITOR',
    'CI',
    'AUTHOR',
    'PASSENGERS',
    'XDG_SESSION_ID',
    'DESKTOP_SESSION',
    'COLOR_PWR',
    'VITE_PUBLIC_URL',
    'MONKEY',
  ])('keeps %s', (name) => expect(kept([name])).toEqual([name]));
});

describe('in a temporary folder', () => {
  const isOfProgram = programNames({ number: 1000, name: 'alice' });

  test.each(
    'tsx-1000 bunx-1000-prettier@latest jest_rs node-compile-cache v8-compile-cache-1000 go-build123 pip-abc yarn--1700 .X11-unix tmux-1000 ssh-AbCdEf vscode-typescript1000 hsperfdata_alice pytest-of-alice torchinductor_alice made.so node_modules package.json tsconfig.base.json eslint.config.js HEAD foo.sock foo-1000.bin'.split(
      ' ',
    ),
  )('%s belongs to a program', (name) => expect(isOfProgram(name)).toBe(true));

  test.each(
    'out.txt fix.py npm-test.log jest-report.json report-1000.md work build data script.sh a.out site notes screenshot1.png result10001'.split(
      ' ',
    ),
  )('%s does not belong to a program', (name) => expect(isOfProgram(name)).toBe(false));

  test.each(
    'out.txt Report.HTML npm-test.log results.json coverage-summary.json notes.md data.csv shot.png Übersicht.pdf a=b.txt'.split(
      ' ',
    ),
  )('%s is a document', (name) => expect(isDocument(name)).toBe(true));

  test.each(
    'random.py fix.js run.sh x.pth x.so x.node a.out x.sql t.zip t.tar.gz x.yaml work jiti log .x.log -rf.log *.log $x.log package.json tsconfig.base.json eslint.config.json nycrc.json appsettings.dev.json AGENTS.md CLAUDE.local.md mcp.json requirements-dev.txt a\nb.png'.split(
      ' ',
    ),
  )('%j is not a document', (name) => expect(isDocument(name)).toBe(false));

  test.each([
    ['node gen.js > /tmp/out', ['out']],
    ['cp -r "/tmp/a b" /tmp/c/d.js; ls //tmp /tmp//e', ['a', 'c', 'e']],
    ['docker run -v /tmp/data:/data --out=/tmp/x', ['data', 'x']],
    ['/tmp/run.sh', ['run.sh']],
    ['ls /var/tmp/a $HOME/tmp/a ~/tmp/a $X]/tmp/a ./tmp/a', []],
    ['ls /tmp/a* /tmp/a$b /tmp/$a /tmp/{a,b} /tmp/go[1] /tmp /tmp/', []],
  ])('the command %j names %j', (command, names) => expect(namesWritten(command, '/tmp')).toEqual(names));

  test.each([
    ['a', 0, true],
    ['./a/b', 0, true],
    ['../a', 1, true],
    ['../../a', 2, true],
    ['../a', 0, false],
    ['../../a', 1, false],
    ['a/../b', 3, false],
    ['/a', 3, false],
    ['..', 1, false],
    ['', 0, false],
  ])('a link to %j, %j deep, stays in the folder: %j', (target, depth, stays) =>
    expect(staysInside(target, depth)).toBe(stays),
  );
});

describe('a failed command', () => {
  test.each([
    ['touch: cannot touch /etc/x: Read-only file system', [], /outside the workspace/],
    ['Error: EROFS: read-only file system, open', [], /outside the workspace/],
    [
      'error: could not write config file .git/config: Device or resource busy',
      [],
      /replace, move or remove/,
    ],
    ['sudo: The "no new privileges" flag is set', [], /privileges of another/],
    [
      '[1:1:FATAL:zygote_host_impl_linux.cc(132)] No usable sandbox! If you are …',
      [],
      /sandbox or container/,
    ],
    ['unshare: unshare failed: Operation not permitted', [], /sandbox or container/],
    ['bwrap: Creating new namespace failed: Operation not permitted', [], /sandbox or container/],
    ['getaddrinfo ENOTFOUND registry.example', [], /network/],
    ['npm error 403', ['registry.example:443'], /registry\.example:443/],
    [
      'permission denied while trying to connect to the docker API at unix:///var/run/docker.sock: operation not permitted',
      [],
      /socket/,
    ],
    ['error: gpg failed to sign the data\nfatal: failed to write commit object', [], /sign/],
    ["error: Couldn't load public key /home/u/.ssh/id.pub: No such file or directory", [], /sign/],
    ['git@host: Permission denied (publickey).\nfatal: Could not read from remote repository.', [], /ssh/],
    ['Error: listen EPERM: operation not permitted /tmp/x-0/12.pipe', [], /socket/],
    ['Failed to connect to bus: Host is down', [], /socket/],
    ['npm error code ENEEDAUTH', [], /login/],
    ['', ['api.example:443'], /api\.example/],
    ['cannot load https://api.example/v1', ['api.example:443'], /api\.example/],
    ['curl: (56) CONNECT tunnel failed, response 403', ['api.example:443'], /api\.example/],
    ['TypeError: fetch failed', ['api.example:443'], /api\.example/],
  ] as const)('is explained by the sandbox: output %j, denied hosts %j', (output, hosts, why) =>
    expect(whyBlocked(output, 1, hosts)).toMatch(why),
  );

  test.each([
    ['1 test failed', 1],
    ['Read-only file system', 0],
    [`${'Read-only file system\n'}${'.'.repeat(10_000)}`, 1],
  ])('is not explained by the sandbox (%#)', (output, code) =>
    expect(whyBlocked(output, code, [])).toBeUndefined(),
  );

  test('is not explained by a denied host that its output does not mention', () => {
    expect(whyBlocked('1 test failed: expected 2, got 3', 1, ['updates.example:443'])).toBeUndefined();
  });
});

test('names in a temporary folder where environment variables make programs look for code are found', () => {
  const env = {
    PATH: '/usr/bin:/tmp/venv/bin:relative:/private/tmp/b',
    PYTHONPATH: '/tmp/lib',
    OTHER: '/tmp/no',
  };
  const real = (path: string) => path.replace(/^\/tmp/, '/private/tmp');
  expect([...namesOnPaths(env, ['/tmp'], real)].sort()).toEqual(['b', 'lib', 'venv']);
});

test('known machines have a filter of system calls, with and without sockets', () => {
  for (const anySocket of [true, false]) {
    for (const machine of ['x64', 'arm64'])
      expect((callFilter(machine, { anySocket })?.length ?? 1) % 8).toBe(0);
    expect(callFilter('mips', { anySocket })).toBeUndefined();
  }
});

describe('the host in a ClientHello', () => {
  const hello = (extensions: Buffer): Buffer => {
    const body = Buffer.concat([
      Buffer.from([3, 3]),
      Buffer.alloc(32, 7),
      Buffer.from([0, 0, 2, 0x13, 1, 1, 0, extensions.length >> 8, extensions.length & 255]),
      extensions,
    ]);
    const handshake = Buffer.concat([Buffer.from([1, 0, body.length >> 8, body.length & 255]), body]);
    return Buffer.concat([
      Buffer.from([0x16, 3, 1, handshake.length >> 8, handshake.length & 255]),
      handshake,
    ]);
  };
  const name = (host: string): Buffer => {
    const { length } = host;
    return Buffer.concat([
      Buffer.from([0, 0, 0, length + 5, 0, length + 3, 0, 0, length]),
      Buffer.from(host, 'latin1'),
    ]);
  };

  const named = (host: string) => ({ type: 'name', name: host });
  const unclear = { type: 'unclear' };

  test('is found anywhere among the extensions and converted to lower case', () => {
    expect(readServerName(hello(name('Evil.Example.')))).toEqual(named('evil.example'));
    expect(readServerName(hello(Buffer.concat([Buffer.from([0, 23, 0, 0]), name('a.b')])))).toEqual(
      named('a.b'),
    );
    expect(readServerName(hello(Buffer.alloc(0)))).toEqual({ type: 'none' });
  });

  test('is unclear in other or damaged data', () => {
    expect(readServerName(Buffer.from('GET / HTTP/1.1'))).toEqual(unclear);
    const whole = hello(name('evil.example'));
    for (let length = 0; length < whole.length; length++)
      expect(readServerName(whole.subarray(0, length))).toEqual(unclear);
  });

  test('is unclear if there are two, or if one is encrypted', () => {
    const two = Buffer.from([0, 0, 0, 10, 0, 8, 0, 0, 1, 0x61, 0, 0, 1, 0x62]);
    const encrypted = Buffer.from([0xfe, 0x0d, 0, 1, 0]);
    for (const extensions of [
      Buffer.concat([name('a.b'), name('c.d')]),
      two,
      Buffer.concat([name('a.b'), encrypted]),
      encrypted,
    ])
      expect(readServerName(hello(extensions))).toEqual(unclear);
  });
});

test('a secret is found under each of its mounted paths', () => {
  const mounts = readMounts(
    [
      '22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw',
      '23 22 0:40 / /var rw - btrfs /dev/vdb rw',
      '24 22 0:40 /home /home rw - btrfs /dev/vdb rw',
      '25 22 0:40 / /mnt/a\\040b rw - btrfs /dev/vdb rw',
      '26 22 0:40 /home/other /srv/other rw - btrfs /dev/vdb rw',
      '27 24 0:41 / /home/u/data rw - tmpfs tmpfs rw',
      '',
    ].join('\n'),
  );
  expect(otherPaths('/home/u/.ssh', mounts)).toEqual(['/var/home/u/.ssh', '/mnt/a b/home/u/.ssh']);
  expect(otherPaths('/srv/other', mounts)).toEqual(['/var/home/other', '/home/other', '/mnt/a b/home/other']);
  expect(otherPaths('/home/u/data/x', mounts)).toEqual([]);
  expect(otherPaths('/etc/shadow', mounts)).toEqual([]);
});

test.each([
  ['/', '/'],
  ['/usr', '/usr'],
  ['/usr/bin', '/usr/bin'],
])('the setting that hides %s, which the shell needs, is reported', (path, named) => {
  const hidden = [{ path, isDirectory: true }];
  const need = { ...where, root: '/home/u/p' };
  expect(hiddenNeed({ ...places, hidden }, need)).toContain(
    `the settings hide ${named} from commands (sandbox.denyRead)`,
  );
  expect(hiddenNeed(places, need)).toBeUndefined();
});
