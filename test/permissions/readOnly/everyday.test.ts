/** Commands of an ordinary day in an ordinary project: most are read-only and need no approval. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import type { Policy } from '../../../src/permissions/policy.ts';
import { policyFor, top } from '../harness.ts';

const project = join(top, 'home', 'everyday');
let policy: Policy;

beforeAll(async () => {
  const files: Readonly<Record<string, string>> = {
    '.env': 'TOKEN=x\n',
    '.gitignore': 'node_modules\ndist/\n.env\nserver.key\n*.pem\n',
    'server.key': 'x\n',
    'certs/dev.pem': 'x\n',
    'README.md': '# Everyday\n',
    'package.json': '{"name":"everyday"}\n',
    'tsconfig.json': '{}\n',
    'data/people.csv': 'name,age\n',
    'data/log.txt': 'one\n',
    'dist/app.js': '1\n',
    'node_modules/lib/index.js': '1\n',
    'node_modules/lib/test/fixture.pem': 'x\n',
    'scripts/build.sh': 'echo\n',
    'src/app.ts': 'export {};\n',
    'src/util/text.ts': '// TODO\n',
    'test/app.test.ts': '1\n',
    'archive.tar.gz': '',
    'archive.zip': '',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(project, name, '..'), { recursive: true });
    writeFileSync(join(project, name), text);
  }
  execFileSync('git', ['init', '-q', project]);
  execFileSync('git', ['-C', project, 'add', '.'], { stdio: 'ignore' });
  policy = await policyFor([], 'default', { root: project });
});

const verdict = (command: string): string =>
  decide({ tool: 'Bash', access: { type: 'command', command, cwd: project } }, policy).behavior;

/** Commands by kind; those that need approval begin with a question mark. */
const commands: Readonly<Record<string, string>> = {
  search: String.raw`
    rg foo
    rg -n foo src
    rg -i "hello world" src test
    rg -l TODO
    rg --files
    rg --files src
    rg -t ts foo
    rg -g '*.ts' foo
    rg -A 3 -B 3 foo src
    rg 'function \w+' src
    rg -c foo
    rg --json foo src
    rg -n "class (A|B)" src | head -20
    rg foo src -l | wc -l
    grep -r foo src
    grep -rn foo src test
    grep -rn --include='*.ts' foo .
    grep -rn foo --include=*.ts .
    grep -rn --include="*.ts" --include="*.tsx" foo src
    grep -rl TODO src
    grep -n foo src/app.ts
    grep -c foo src/*.ts
    grep -v '^#' data/log.txt
    grep -E 'a|b' data/log.txt
    grep -rn foo src --exclude-dir=util
    grep -i error data/log.txt | tail -5
    find . -name '*.ts'
    find src -type f
    find . -name '*.ts' -not -path './node_modules/*'
    find src -name '*.ts' | xargs wc -l
    find src -name '*.ts' -print0 | xargs -0 wc -l
    find src -name '*.ts' -exec wc -l {} +
    find src -type f -exec grep -l TODO {} \;
    find . -name '*.ts' -exec grep -n foo {} +
    find src -name '*.ts' | xargs grep -n TODO
    find . -maxdepth 2 -type d
    find . -name package.json -not -path '*/node_modules/*'
    find . -mtime -1 -type f
    find . -size +1M
    find src | wc -l
    find . -type f -name '*.md' | head
    DIR=src; ls $DIR
    F=src/app.ts; head -5 $F
    VERSION=$(jq -r .version package.json); echo "$VERSION"
    B=$(git branch --show-current) && echo "on $B"
    SRC_DIR=src; ls "$SRC_DIR"
    FILE=src/app.ts && wc -l "$FILE"
    for f in src/*.ts; do basename "$f" .ts; done
    ls | tee /dev/null | head -3
    zcat data/log.txt.gz | head
    gunzip -c data/log.txt.gz
    fd app
    fd -e ts
    fd -t d src
    ag foo src
    ag TODO
    git grep foo
    git grep -n "TODO" -- src
    git ls-files | xargs wc -l
    git ls-files -z | xargs -0 wc -l
    git ls-files '*.ts' | xargs grep foo
    rg -l foo | xargs wc -l
    rg --files src | xargs wc -l
    grep -rl foo src | xargs sed -n 1,5p
    grep -rl --include='*.ts' foo . | xargs head -5
    ? grep -r foo .
    ? rg --hidden TOKEN
    ? rg -uu TOKEN
    ? find . -type f | xargs grep TOKEN
    ? grep -rl foo . | xargs head -5
  `,
  git: `
    git status
    git status -sb
    git status --porcelain
    git diff
    git diff --stat
    git diff --cached
    git diff --staged --name-only
    git diff HEAD~1
    git diff main...HEAD
    git diff $(git merge-base main HEAD)
    git log --oneline $(git merge-base main HEAD)..HEAD
    git diff HEAD -- src/app.ts
    git log
    git log --oneline -10
    git log --oneline --graph --all --decorate
    git log -p -2 src/app.ts
    git log --since='2 weeks ago' --author=me
    git log --format='%h %an %s' -5
    git log --stat -1
    git log -S foo --oneline
    git log --follow -- src/app.ts
    git show
    git show HEAD
    git show HEAD:src/app.ts
    git show --stat HEAD~2
    git branch
    git branch -a
    git branch -vv
    git branch --show-current
    git branch --merged
    git branch -a --no-merged
    git branch --merged main
    git help
    git branch --list 'feature/*'
    git remote -v
    git tag
    git tag -l 'v*'
    git tag --sort=-creatordate | head -5
    git stash list
    git stash show -p
    git blame src/app.ts
    git blame -L 1,20 src/app.ts
    git rev-parse HEAD
    git rev-parse --show-toplevel
    git rev-parse --abbrev-ref HEAD
    git ls-files
    git ls-files src | wc -l
    git ls-files --others --exclude-standard
    git describe --tags --always
    git shortlog -sn
    git reflog -10
    git config user.name
    git config --get user.email
    git config --get core.autocrlf
    git config --get remote.origin.url
    git notes list
    cd "$(git rev-parse --show-toplevel)" && ls
    git check-ignore dist/app.js
    git check-ignore -v .env
    git submodule status
    git submodule
    git worktree list
    git merge-base main HEAD
    git cat-file -p HEAD
    git for-each-ref --sort=-committerdate --format='%(refname:short)' refs/heads
    git rev-list --count HEAD
    git -C src status
    git -C . log --oneline -3
    cd src && git status
    cd src && git diff
    git --no-pager log -3
    git status && git diff --stat
    ? git add .
    ? git commit -m "wip"
    ? git push
    ? git pull
    ? git checkout main
    ? git fetch
  `,
  files: `
    ls
    ls -la
    ls -la src
    ls -lh src/*.ts
    ls -R src
    ls *.json
    ls src test
    tree -L 2
    tree -I node_modules
    tree --du -h -L 1
    cat package.json
    cat src/app.ts src/util/text.ts
    cat -n src/app.ts
    cat README.md | head -20
    cat src/*.ts
    cat *.md
    cat *.json
    head -50 src/app.ts
    head -n 5 *.md
    tail -20 data/log.txt
    tail -n +10 data/log.txt
    wc -l src/app.ts
    wc -l src/*.ts
    wc -l src/**/*.ts
    file archive.zip
    stat package.json
    stat -c %s package.json
    du -sh .
    du -sh *
    du -h -d 1
    du -sh * | sort -h
    df -h
    diff src/app.ts test/app.test.ts
    diff -u src/app.ts test/app.test.ts
    diff -r src test
    cmp archive.zip archive.tar.gz
    md5sum package.json
    sha256sum archive.zip
    b2sum archive.zip
    realpath src
    readlink -f src/app.ts
    basename src/app.ts .ts
    dirname src/app.ts
    pwd
    test -f package.json && echo yes
    [ -d src ] && ls src
    ls src | wc -l
    ls -t | head -5
    nl src/app.ts
    ls node_modules/lib
    cat node_modules/lib/index.js
    ls -la .env
    ? cat .env
    ? rm data/log.txt
    ? mv src/app.ts src/main.ts
    ? mkdir -p src/new
    ? touch src/new.ts
    ? chmod +x scripts/build.sh
    ? cat ~/.ssh/config
  `,
  data: String.raw`
    jq . package.json
    jq -r .name package.json
    jq --arg a b '.x == $a' package.json
    jq '.dependencies | keys' package.json
    jq -c --stream . package.json
    cat package.json | jq .
    cat package.json | jq -r '.scripts | to_entries[] | .key'
    awk '{print $1}' data/log.txt
    awk -F, '{print $2}' data/people.csv
    awk -F: '{ sum += $3 } END { print sum }' data/people.csv
    awk 'NR==1, NR==5' data/log.txt
    awk '/error/ { print NR ": " $0 }' data/log.txt
    cut -d, -f1 data/people.csv
    sort data/people.csv | uniq -c | sort -rn
    sort -t, -k2 -n data/people.csv
    sort -u data/log.txt
    uniq data/log.txt
    sed -n '1,20p' src/app.ts
    sed -n '/foo/,/bar/p' src/app.ts
    sed 's/foo/bar/g' src/app.ts
    tr a-z A-Z < README.md
    cat README.md | tr -d '\n'
    column -t -s, data/people.csv
    paste -d, data/people.csv data/log.txt
    comm -12 data/log.txt data/people.csv
    base64 package.json
    echo hello | base64
    echo aGVsbG8= | base64 -d
    xxd archive.zip | head
    od -c data/log.txt
    strings archive.zip
    hexdump -C archive.zip
    tar tf archive.tar.gz
    tar -tzf archive.tar.gz
    tar tvf archive.tar.gz | head
    gzip -l archive.tar.gz
    gzip -t archive.tar.gz
    unzip -l archive.zip
    zipinfo -1 archive.zip
    rev data/log.txt
    seq 1 10
    expr 1 + 2
    cat data/people.csv | cut -d, -f1 | sort | uniq
    ? sed -i 's/foo/bar/' src/app.ts
    wc -l $(git ls-files)
    grep -n foo $(find src -name '*.ts')
    head -3 $(rg -l foo)
    for f in $(git ls-files '*.ts'); do wc -l "$f"; done
    for f in $(find src -name '*.ts'); do head -3 $f; done
    ? curl -s https://example.com
    ? tar xzf archive.tar.gz
    ? sort -o data/log.txt data/log.txt
  `,
  shell: String.raw`
    echo hello
    echo "a b"
    echo $HOME
    echo $PATH
    echo "$USER on $HOSTNAME"
    echo $?
    echo "exit: $?"
    x=1; echo $x
    name=app; cat "src/$name.ts"
    for f in src/*.ts; do wc -l "$f"; done
    for f in src/*.ts; do echo "$f"; head -5 "$f"; done
    for f in a b c; do echo $f; done
    for i in 1 2 3; do echo "line $i"; done
    for i in {1..5}; do echo $i; done
    for d in src test; do ls $d; done
    for d in src test; do echo "== $d"; find $d -name '*.ts' | wc -l; done
    cd src && ls
    cd src; ls; cd ..
    cd src && cat app.ts && cd ..
    (cd src && ls)
    set -e; ls
    set -euo pipefail; ls | wc -l
    test -n "$CI"
    [ -z "$CI" ] && echo local
    [ "$CI" = true ] && echo ci
    [[ -f package.json ]] && echo yes
    [[ -f yarn.lock || -f package.json ]]
    [[ -d dist || -d build ]] && ls
    if [ -f package.json ]; then cat package.json; fi
    if [ -d dist ]; then ls dist; else echo none; fi
    test -d node_modules || echo missing
    true
    printf '%s\n' a b c
    printf "%d\n" 5
    echo "today: $(date)"
    echo "$(git rev-parse HEAD)"
    date
    date +%Y-%m-%d
    date -u
    sleep 1
    which node
    command -v python3
    type ls
    ls && echo ok || echo failed
    ls 2>/dev/null
    ls > /dev/null 2>&1
    cat <<'EOF'${'\u21b5'}hello${'\u21b5'}EOF
    time ls
    timeout 10 ls
    NODE_ENV=test ls
    env NODE_ENV=test ls
    cat < README.md
    diff <(sort data/log.txt) <(sort data/people.csv)
    while false; do ls; done
    while read -r line; do echo "$line"; done < data/log.txt
    while IFS= read -r line; do echo "> $line"; done < data/log.txt
    while IFS=, read -r name age; do printf '%s is %s\n' "$name" "$age"; done < data/people.csv
    git log --oneline -5 | while read -r commit subject; do echo "$subject ($commit)"; done
    find src -name '*.ts' | while read -r file; do echo "$file"; done
    cat data/log.txt | while read -r line; do if [ -n "$line" ]; then echo "$line"; fi; done
    case a in a) ls;; esac
    bash -c 'ls; pwd'
    ? echo $GITHUB_TOKEN
    ? env
    ? export FOO=bar
    ? bash scripts/build.sh
    ? ls > out.txt
    ? source .venv/bin/activate
  `,
  system: `
    ps aux
    ps -ef
    ps aux | grep node
    ps -p 1
    ps -eo pid,cmd
    free -m
    free -h
    uptime
    ss -ltn
    ss -tlnp
    netstat -tln
    lsof -i :3000
    cat /etc/os-release
    cat /proc/cpuinfo | head
    uname -a
    whoami
    id
    hostname
    nproc
    lscpu
    ip addr
    pgrep -f node
    arch
    groups
    docker ps
    docker images
    ? kill 1
    ? sudo ls
  `,
  versions: `
    node --version
    node -v
    npm --version
    npm -v
    python3 --version
    cargo --version
    rustc --version
    go version
    git --version
    ls --help
    rg --help
    node --help
    python3 --help
    tput cols
    stty size
    docker --version
    java -version
    gcc --version
    make --version
    ruby --version
    jq --version
    bash --version
    umask
    ulimit -a
    jobs -l
    top -bn1
    top -b -n 1 | head -20
    npm ls
    npm run
    pip list
    ? gh pr list
    ? npm test
    ? npm install
    ? python3 -c 'print(1)'
    ? node -e '1'
    ? npx tsc --noEmit
    ? make
  `,
};

const rows = Object.values(commands).flatMap((text) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => ({
      asks: line.startsWith('? '),
      command: line.replace(/^\? /, '').replaceAll('\u21b5', '\n'),
    })),
);

/** Rare uses of the same programs. */
const unusual = `
  FILE=.env; cat $FILE
  VERSION=.env; cat "$VERSION"
  VERSION=$(cat .env); echo hi
  VERSION=$GITHUB_TOKEN; echo "$VERSION"
  VERSION_CONTROL=numbered; ls
  GZIP=-k; ls
  export VERSION=1
  gzip -tk data/log.txt.gz
  gzip -l .env.gz
  gzip -t data/log.txt
  gzip -lN data/log.txt.gz
  gzip -v data/log.txt.gz
  jq --stream --rawfile x .env . package.json
  git config --get remote.origin.url x
  git config --global --get remote.origin.url
  git config --get remote.origin.token
  git config --get-all remote.origin.url
  git config remote.origin.url https://a.example
  git submodule update
  git submodule foreach id
  git submodule add x
  git notes add -m x
  git notes remove HEAD
  git notes list x y
  PAGER=x; ls
  ls | tee data/list
  gunzip data/log.txt.gz
  gzip -d data/log.txt.gz
  zcat server.key.gz
  zcat -f data/log.txt.gz
  zcat data/log.txt
  gzip -cdf data/log
  xz -t -d data/log.txt.xz
  xz -dc data/log.txt.xz
  bzcat data/log.bz2
  zstdcat data/log.zst
  bzip2 -td data/log.bz2
  gunzip data/log.txt.gz -c -k
  rg --no-ignore TOKEN
  rg -g '*.key' TOKEN
  rg TOKEN server.key
  git branch --merged -d x
  stty -echo
`
  .trim()
  .split('\n')
  .map((line) => line.trim());

describe('on an ordinary day', () => {
  test.each(rows.filter(({ asks }) => !asks))('$command runs', ({ command }) => {
    expect(verdict(command)).toBe('allow');
  });
  test.each(rows.filter(({ asks }) => asks))('$command needs approval', ({ command }) => {
    expect(verdict(command)).toBe('ask');
  });
  test.each(unusual)('the rare command %s needs approval', (command) => expect(verdict(command)).toBe('ask'));
  test('of about 300 commands, at most 40 need approval', () => {
    expect(rows.length).toBeGreaterThan(280);
    expect(rows.filter(({ asks }) => asks).length).toBeLessThanOrEqual(40);
  });
});
