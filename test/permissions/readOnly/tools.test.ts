/** Package managers, pagers, compilers and small text tools: calls that only read run, all others need approval. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { home, policyFor } from '../harness.ts';

const project = join(home, 'tools');

beforeAll(() => {
  const files: Readonly<Record<string, string>> = {
    'package.json': '{"name":"a","scripts":{"build":"tsc"}}\n',
    'a.txt': 'one\n',
    'b.txt': 'two\n',
    'a.log.gz': '',
    'b.log.gz': '',
    'install.sh': 'echo\n',
    'app/main.go': 'package main\n',
    'src/app.ts': '1\n',
    '.env': 'TOKEN=x\n',
    'server.key.gz': '',
    'keys/server.key': 'x\n',
    'settings/.npmrc': 'workspaces=true\n',
    'settings/package.json': '{}\n',
    'token/package.json': `{"x":"${['ghp', 'k7Qz2LmX9vRb4TnW8sYd3HfJ6pCg1AeU5oKi'].join('_')}"}\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(project, name, '..'), { recursive: true });
    writeFileSync(join(project, name), text);
  }
  mkdirSync(join(home, 'bare-tools'), { recursive: true });
  symlinkSync(join(home, 'elsewhere.txt'), join(project, 'out.txt'));
});

const verdict = async (command: string, rules: readonly string[] = [], root = project): Promise<string> =>
  decide(
    { tool: 'Bash', access: { type: 'command', command, cwd: root } },
    await policyFor(rules, 'default', { root }),
  ).behavior;

const list = (text: string): readonly string[] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim());

const reading: Readonly<Record<string, string>> = {
  pagers: `
    less a.txt
    less -R a.txt
    cat a.txt | less
    ls -la | less -FRX
    more a.txt
    ls | more
  `,
  text: `
    b2sum a.txt
    sha384sum a.txt
    join a.txt b.txt
    join -t , -1 2 -2 1 -o 1.1,2.2 a.txt b.txt
    fmt -w 60 a.txt
    shuf -n 3 a.txt
    shuf -i 1-10 -n 2
    bc <<< "1+2"
    echo "scale=2; 10/3" | bc -l
    tree --du -h -L 1
    tree -J src
    find . -samefile a.txt
    zgrep ERROR a.log.gz
    zgrep -ic error a.log.gz b.log.gz
    zgrep -e x -A 2 a.log.gz
  `,
  shell: `
    bash -n install.sh
    sh -n install.sh && echo ok
    whereis git
    help cd
  `,
  go: `
    gofmt -l .
    gofmt -l app
    gofmt -d app/main.go
    gofmt -s -d app
    go env GOPATH
    go env GOOS GOARCH
  `,
  npm: `
    npm ls
    npm ls --depth=0
    npm ls -g --depth 0
    npm ls zod @types/node --json
    npm list --all
    npm root
    npm prefix -g
    npm explain zod
    npm why zod
    npm pkg get
    npm pkg get scripts
    npm pkg get name version dependencies.zod
    npm run
    npm config get registry
    cd src && npm ls
  `,
  pip: `
    pip list
    pip list --format=json
    pip3 list | grep -i requests
    pip show requests
    pip show -f requests flask
  `,
  docker: `
    docker ps
    docker ps -aq
    docker volume ls -q
    docker version
  `,
};

describe.each(Object.entries(reading))('%s', (_kind, text) => {
  test.each(list(text))('%s runs', async (command) => expect(await verdict(command)).toBe('allow'));
});

const asking: Readonly<Record<string, string>> = {
  pagers: `
    less .env
    less out.txt
    less -o copy a.txt
    less -ocopy a.txt
    less --log-file=copy a.txt
    less -k keys a.txt
    less --lesskey-src=keys a.txt
    less -T tags -t x
    less -P x a.txt
    less '+!touch x' a.txt
    less ++x a.txt
    less ~/notes.txt
    more .env
    more '+!touch x' a.txt
    more +/x a.txt
    more -p x .env
    LESSOPEN='|cat %s' less a.txt
    LESS=-ocopy less a.txt
  `,
  text: `
    b2sum .env
    b2sum -c a.txt
    b2sum --check a.txt
    join a.txt .env
    join -o 1.1 2.2 a.txt b.txt
    join a.txt b.txt out.txt
    join --files0-from=x a.txt b.txt
    fmt .env
    fmt -p .env a.txt
    fmt -t .env a.txt
    shuf -o b.txt a.txt
    shuf --output=b.txt a.txt
    shuf a.txt -ob.txt
    shuf --random-source=.env a.txt
    shuf .env
    bc a.txt
    bc -i
    bc --file=.env
    bc -e 1
    dc -e '!touch x'
    echo '!touch x' | dc
    BC_ENV_ARGS=.env bc -l
    tree -o x
    tree --du -ox
    tree --fromfile a.txt
    find . -samefile a.txt -delete
    find . -samefile a.txt -fprint x
    find . -samefile
  `,
  zgrep: `
    zgrep x *.gz
    zgrep x 'a.log.gz
    touch x.gz'
    zgrep x server.key.gz
    zgrep x a.txt
    zgrep -f .env a.log.gz
    zgrep -fa.log.gz a.log.gz
    zgrep -r x .
    zgrep -o 'p_.*' a.log.gz
    zgrep a.log.gz
    zgrep --file=.env a.log.gz
  `,
  shell: `
    bash -n .env
    bash -n
    bash -n -c 'touch x'
    bash -c 'touch x' -n
    bash -nc 'touch x'
    bash +n install.sh
    bash -n +n install.sh
    bash -n -i install.sh
    bash -n -x install.sh
    bash -n --rcfile a.txt install.sh
    bash --init-file a.txt -n install.sh
    bash -n install.sh +n
    BASH_ENV=a.txt bash -n install.sh
    sh -n out.txt
    zsh -n install.sh
    cat install.sh | bash -n
    source -n install.sh
    whereis -B . -f git
    whereis -b -S src -f x
    help /etc/passwd
    help -d cd
  `,
  go: `
    gofmt -w .
    gofmt -l -w .
    gofmt -lw .
    gofmt -l=true -w=true .
    gofmt -cpuprofile=x .
    gofmt -l . -w
    gofmt -r 'a -> b' app
    gofmt -l .env
    gofmt -d ../elsewhere
    gofmt -l
    go env
    go env -w GOPATH=x
    go env -json
    go env GOPROXY
    go env GOFLAGS
    go list ./...
    go doc -http
  `,
  npm: `
    npm ls ../x
    npm ls --prefix ../x
    npm ls --node-options=--require=./x
    npm ls --userconfig=x
    npm ls --cache=src
    npm ls --timing
    npm ls --logs-dir=src
    npm ls git@x.y:a/b
    npm root --prefix=..
    npm explain ./x
    npm explain zod --script-shell=./x
    npm pkg set name=b
    npm pkg delete name
    npm pkg get name --workspaces
    npm pkg fix
    npm run build
    npm run --if-present build
    npm run -- build
    npm run -s build
    npm config list
    npm config ls -l
    npm config get
    npm config get //registry.npmjs.org/:_authToken
    npm config get registry --userconfig=.env
    npm config set registry x
    npm config edit
    npm outdated
    npm view zod
    npm exec ls
    cd settings && npm run
    cd settings && npm pkg get scripts
    cd token && npm pkg get x
    cd token && npm ls
    npm_config_cache=src npm ls
  `,
  pip: `
    pip list --outdated
    pip list -o
    pip list --uptodate
    pip list --path src
    pip list --log x
    pip list --index-url http://x
    pip list --python ./python
    pip --python ./python list
    pip show -f ../x
    pip show --log=x requests
    pip freeze
    pip install x
    pip config list
    python3 -m pip list
    PYTHONPATH=. pip list
    PIP_CONFIG_FILE=a.txt pip list
  `,
  docker: `
    docker ps -a --format '{{.Names}}'
    docker ps --format raw
    docker system df
    docker ps --format '{{json .}}'
    docker ps --format '{{.Labels}}'
    docker ps --format '{{.Command}}' --no-trunc
    docker ps --format '{{.Names}}{{.Mounts}}'
    docker ps --format json
    docker -H tcp://x ps
    docker ps -H tcp://x
    docker --config src ps
    docker ps --format
    docker inspect db
    docker images --format '{{.Tag}}' a b
    docker image ls --tree x y
    docker system prune
    docker system df --format '{{json .}}'
    docker volume ls x
    docker container ls --context x
    docker info
  `,
};

describe.each(Object.entries(asking))('%s', (_kind, text) => {
  test.each(list(text))('%s needs approval', async (command) => expect(await verdict(command)).toBe('ask'));
});

test('npm shows only the package of the workspace', async () => {
  writeFileSync(join(home, 'package.json'), '{"name":"home"}\n');
  const bare = join(home, 'bare-tools');
  for (const command of ['npm ls', 'npm root', 'npm run', 'npm pkg get name', 'npm explain zod'])
    expect(await verdict(command, [], bare)).toBe('ask');
  expect(await verdict('npm config get registry', [], bare)).toBe('allow');
  // Settings above the workspace are the user's own.
  writeFileSync(join(home, '.npmrc'), 'fund=false\n');
  expect(await verdict('npm run')).toBe('allow');
});

test('rules for files apply to what a tool reads', async () => {
  for (const command of ['npm run', 'npm ls', 'npm pkg get scripts'])
    expect(`${command}: ${await verdict(command, ['deny Read(~/tools/package.json)'])}`).not.toMatch(/allow/);
  for (const command of ['gofmt -l .', 'gofmt -d app', 'gofmt -d app/main.go'])
    expect(`${command}: ${await verdict(command, ['deny Read(~/tools/app/**)'])}`).not.toMatch(/allow/);
  expect(await verdict('less a.txt', ['deny Read(~/tools/a.txt)'])).toBe('deny');
  expect(await verdict('bash -n install.sh', ['deny Read(~/tools/install.sh)'])).toBe('deny');
  expect(await verdict('zgrep x a.log.gz', ['ask Read(~/tools/*.gz)'])).toBe('ask');
});

test('npm asks next to a command that a rule allows, since it would write a log', async () => {
  expect(await verdict('make && npm ls', ['allow Bash(make)'])).toBe('ask');
  expect(await verdict('make && npm config get registry', ['allow Bash(make)'])).toBe('ask');
  expect(await verdict('make && less a.txt', ['allow Bash(make)'])).toBe('allow');
});

test('a variable in capitals asks in a command that does more than read', async () => {
  expect(await verdict('VERSION=1; less a.txt')).toBe('allow');
  expect(await verdict('VERSION=1; make', ['allow Bash(make)'])).toBe('ask');
  expect(await verdict('make; VERSION=$(date) && echo "$VERSION"', ['allow Bash(make)'])).toBe('ask');
  expect(await verdict('version=1; make', ['allow Bash(make)'])).toBe('allow');
  const policy = await policyFor([], 'default', { root: project });
  const access = { type: 'command', command: 'VERSION=1; make', cwd: project } as const;
  const { causes } = decide({ tool: 'Bash', access }, policy);
  expect(causes?.map(({ type }) => type)).toContain('limit');
});
