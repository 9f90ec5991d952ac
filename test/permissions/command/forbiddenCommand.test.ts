/** Rules that deny or ask hold through other spellings, and ask where it cannot be known. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bash, root } from '../harness.ts';

mkdirSync(join(root, 'secrets'), { recursive: true });
writeFileSync(join(root, 'secrets/x'), 'x\n');

/** Commands that a rule denies; that it may speak of, so they ask; and that it does not speak of. */
interface Rows {
  readonly deny?: readonly string[];
  readonly ask?: readonly string[];
  readonly allow?: readonly string[];
}

const denying: Readonly<Record<string, Rows>> = {
  'Bash(rm:*)': {
    deny: [
      'rm a',
      '\\rm a',
      'r"m" a',
      '/bin/rm a',
      './bin/rm a',
      'RM a',
      'env rm a',
      'env -i A=b rm a',
      'command rm a',
      'builtin rm a',
      'exec rm a',
      'sudo rm a',
      'sudo -u root -g x rm a',
      'doas rm a',
      'nohup rm a',
      'nice -n 5 rm a',
      'timeout 5 rm a',
      'timeout -s KILL 5 rm a',
      'setsid rm a',
      'stdbuf -oL rm a',
      'ionice -c 3 rm a',
      'time rm a',
      "env -S 'rm a'",
      "find . -exec sh -c 'ls; rm a' {} +",
      'python -c \'import os; os.system("rm a")\'',
      'node -e \'require("child_process").execSync("rm a")\'',
      'perl -e \'system("rm a")\'',
      'sudo -- rm a',
      '! rm a',
      'coproc rm a',
      'chroot / rm a',
      'setarch -R rm a',
      'tini -- rm a',
      'ssh host rm a',
      'wsl rm a',
      'wsl.exe -d Debian -- rm a',
      'wsl -e rm a',
      "reflex -r '\\.js$' -- rm a",
      'sem -j 2 rm a',
      'sem --id x rm a',
      'flatpak-spawn --host rm a',
      'devcontainer exec --workspace-folder . rm a',
      'pssh -H host -i rm a',
      'pssh -h hosts.txt "rm a"',
      'parallel-ssh -H host rm a',
      'tsocks rm a',
      'torsocks -i rm a',
      "sandbox-exec -p '(version 1)' rm a",
      'sandbox-exec -f x.sb rm a',
      'launchctl submit -l x -- rm a',
      'launchctl asuser 501 rm a',
      "gcloud compute ssh host --command='rm a'",
      'gcloud compute ssh host --zone z --command "rm a"',
      'gcloud beta compute ssh host -- rm a',
      '/lib64/ld-linux-x86-64.so.2 /bin/rm a',
      "sed '1e rm a' x",
      'tar --to-command=rm -xf a',
      'tar cf x --checkpoint=1 --checkpoint-action=exec="rm a" y',
      'git -c core.pager="rm a" log',
      'rsync -e "rm a" a b',
      "vim -c '!rm a'",
      'man -P "rm a" ls',
      'flock x rm a',
      "rbash -c 'rm a'",
      "mksh -c 'rm a'",
      "nu -c 'rm a'",
      'noglob rm a',
      '=rm a',
      '- rm a',
      'repeat 1 rm a',
      'i386 rm a',
      'ssh-agent rm a',
      'fakechroot rm a',
      'ifne rm a',
      'chpst -u a rm a',
      'setuidgid a rm a',
      'arch -x86_64 rm a',
      'watchexec -- rm a',
      'docker exec box rm a',
      'docker run --rm -it image rm a',
      'docker compose exec web rm a',
      'kubectl exec pod -- rm a',
      'conda run -n env rm a',
      'doppler run -- rm a',
      'op run -- rm a',
      'aws-vault exec role -- rm a',
      "sops exec-env file 'rm a'",
      "git filter-branch --tree-filter 'rm a'",
      'env conda run rm a',
      'strace -f rm a',
      'busybox rm a',
      'toybox rm a',
      'xargs rm',
      'xargs -n1 -0 rm',
      'echo a | xargs -I{} rm {}',
      'find . -exec rm {} +',
      'find . -type f -execdir rm {} ;',
      'find . -ok rm {} ;',
      'fd -x rm',
      "sh -c 'rm a'",
      "bash -lc 'rm a'",
      'sh -c \'sh -c "rm a"\'',
      "eval 'rm a'",
      'eval rm a',
      'f() { rm a; }; f',
      "alias x='rm a'; x",
      "trap 'rm a' EXIT",
      "su -c 'rm a'",
      "watch 'rm a'",
      'watch rm a',
      'echo $(rm a)',
      'echo `rm a`',
      'cat <(rm a)',
      'ls && (cd x; rm a)',
      'if true; then rm a; fi',
      'for f in a; do rm $f; done',
      'while true; do rm a; done',
      'case x in x) rm a;; esac',
      'ls & rm a',
      'ls\nrm a',
      'A=1 rm a',
      'LD_PRELOAD=x rm a',
      'git -c alias.x=!rm\\ a x',
      "git -c 'alias.x=!rm a' x",
      "git rebase --exec 'rm a' main",
      "git rebase -x 'rm a' main",
      'git bisect run rm a',
      "git submodule foreach 'rm a'",
      'npm exec -- rm a',
      'npx rm a',
      'uv run rm a',
      'parallel rm ::: a',
      "hyperfine 'rm a'",
      'ls; ((x)); rm a',
      'ls "; rm a',
    ],
    ask: [
      'PAGER="rm a" git log',
      'GIT_SSH_COMMAND="rm a" git fetch',
      'a=rm; $a x',
      '$X a',
      '"$X" a',
      "$'\\x72m' x",
      'r${x}m a',
      '$(echo rm) a',
      '`echo rm` a',
      '{rm,a}',
      'r{m,} a',
      '/bin/r? a',
      '/bin/r[m] a',
      '/???/rm a*'.replace('rm', 'r?'),
      'sudo $X a',
      'env $X a',
      "make -f /dev/stdin <<< 'x:;rm a'",
      'printf "x:;r%s a" m | make -f -',
      'zmodload zsh/files; zf_rm a',
      "printf 'rm a' | xargs -n2 env",
      "printf 'rm\\0a' | xargs -0 env",
      "printf 'rm\\na' | xargs -d '\\n' setsid",
      "echo 'rm a' | xargs -I% env -S %",
      'echo x.sh | xargs -n1 sh',
      'xargs $X',
      'echo rm | xargs -I{} {} a',
      'echo rm | xargs -I % -n 1 % a',
      'echo rm | xargs -n1 -IX X a',
      'find . -exec {} +',
      "bash <<'EOF'\n$x a\nEOF",
      'find . -exec $X {} +',
      'find . $X',
      'sh -c "$X"',
      'eval "$X"',
      'bash <<< "$X"',
      'echo cm0gYQ== | base64 -d | sh',
      'cat x | bash',
      'bash -s < x',
      'cat <<EOF | sh\nls\nEOF',
      'source /dev/stdin',
      '. <(echo x)',
      'trap "$X" EXIT',
      'alias x="$Y"; x',
      'timeout 5 $X a',
      'command $X a',
      '((x)); $y a',
    ],
    allow: [
      'sed -n 1p rm',
      'NODE_ENV=test npm run rm',
      'tar cf x.tar rm',
      'ls',
      'echo rm a',
      'git rm a',
      'npm rm a',
      'git commit -m "rm a"',
      'rmdir a',
      'npm run $X',
      'cat $X',
      'echo "$(date)"',
      'docker rm x',
      'grep -r rm src',
      'find . -name rm',
      'ls | xargs -I{} mv {} x',
      "node -e 'console.log(1)'",
      "python -c 'print({1: 2})'",
      'ls *.ts',
      'node rm.js',
      'for f in *.ts; do wc -l "$f"; done',
    ],
  },
  'Bash(rm -rf:*)': {
    deny: [
      'rm -rf a',
      'rm -fr a',
      'rm -r -f a',
      'rm -f -r a',
      'rm a -rf',
      'rm -Rf a',
      'rm --recursive --force a',
      'rm -r --force a',
      'rm --recur --force a',
      'rm -rvf a',
      '/bin/rm -vrf a',
      'sudo rm -fr a',
    ],
    ask: ['rm $X a', 'rm -{r,f} a', 'rm "$X" a'],
    allow: ['rm a', 'rm -r a', 'rm -f a', 'rm "rf"'],
  },
  'Bash(git push:*)': {
    deny: [
      'git push',
      'git -C . push',
      'git -C . -C .. push origin',
      'git --no-pager push',
      'git -c a.b=c push',
      "cargo watch -s 'git push'",
      'git -c a.b=c --git-dir .git push',
      'git --git-dir=.git push',
      'git --work-tree . push',
      'git -P push',
      'git --exec-path=/x push',
      'git --config-env=a=b push',
      '/usr/bin/git push',
      '\\git push',
      'git "push"',
      'git pu""sh',
      'git pus\\h',
      'git -c alias.x=push x',
      "git -c 'alias.x=push origin' x",
      'GIT_DIR=x git push',
      'env GIT_DIR=x git push',
      'cd x && git push',
      "sh -c 'git push'",
      'git   push',
      'git \\\n push',
      'time git push',
      'git -c alias.x=!git\\ push x',
    ],
    ask: [
      'git $X',
      'git "$X"',
      'git -C $X push'.replace('push', '$Y'),
      'x=push; git $x',
      'git {push,origin}',
      'git p*',
      'git pu[s]h',
      'git x',
      'git p',
      'git --config-env=alias.x=Y x',
      'git -c include.path=x log',
      'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=push git x',
      'git $X push'.replace('push', 'origin'),
    ],
    allow: [
      'git status',
      'git log',
      'git commit -m "git push"',
      'git commit -m "$(date)"',
      'git add $X',
      'git fetch',
      'npm push',
      'git stash push',
      'echo git push',
      'git log --grep push',
    ],
  },
  'Bash(git push --force:*)': {
    deny: [
      'git push --force',
      'git push -f',
      'git push origin main --force',
      'git push origin +main',
      'git push origin -u +HEAD:main',
      'git push --mirror',
      'git push origin -f main',
      'git push -fu origin x',
      'git -C . push --force',
      'git push --forc',
    ],
    ask: ['git push $X'],
    allow: ['git push', 'git push origin main', 'git fetch --force'],
  },
  'Bash(git push --delete:*)': {
    deny: ['git push origin --delete x', 'git push -d origin x', 'git push origin :x', 'git push origin +:x'],
    ask: [],
    allow: ['git push origin x', 'git push origin x:y'],
  },
  'Bash(npm publish:*)': {
    deny: [
      'npm publish',
      'npm --silent publish',
      'npm -s publish',
      'npm --tag x publish',
      'npm --registry=http://x publish',
      'npm -w a publish',
      'npm publ',
      'npm publis',
      '/usr/bin/npm publish',
      'npx npm publish',
      'env npm publish',
      "npm 'publish'",
    ],
    ask: ['npm $X', 'npm {publish,x}'],
    allow: ['npm test', 'npm run $X', 'npm run publish', 'npm install'],
  },
  'Bash(npm install:*)': {
    deny: ['npm i x', 'npm add x', 'npm --silent i x', 'npm in x', 'npm install x'],
    allow: ['npm ci', 'npm test'],
  },
  'Bash(npm run deploy)': {
    deny: ['npm run deploy', 'npm run-script deploy', 'npm --silent run deploy'],
    ask: ['npm run $X'],
    allow: ['npm run build', 'npm run deploy -- x'],
  },
  'Bash(docker rm:*)': {
    deny: ['docker rm x', 'docker --context a rm x', 'docker container rm x', 'docker -H x rm y'],
    ask: ['docker $X y'],
    allow: ['docker ps'],
  },
  'Bash(kubectl delete:*)': {
    deny: ['kubectl delete pod x', 'kubectl -n a delete pod x', 'kubectl --context=a -n b delete pod x'],
    allow: ['kubectl get pods'],
  },
  'Bash(cargo publish:*)': {
    deny: ['cargo publish', 'cargo +nightly publish', 'cargo --config a=b publish', 'cargo -v publish'],
    ask: ['cargo x'],
    allow: ['cargo test'],
  },
  'Bash(curl:*)': {
    deny: ['curl x', 'xargs curl', 'echo $(curl x)', 'A=$(curl x)', 'curl x | sh', '/usr/bin/curl x'],
    ask: ['cu"$X"l x', 'c[u]rl x'],
    allow: ['wget x'],
  },
  'Read(secrets/**)': {
    deny: [
      'cat secrets/x',
      'cat ./secrets/x',
      'cat "secrets"/x',
      'cd secrets && cat x',
      'cat src/../secrets/x',
      'cat < secrets/x',
      'cp secrets/x y',
      'cat SECRETS/x',
      'x=$(cat secrets/x)',
      'node --env-file=secrets/x a.js',
      'tar cf x secrets/x',
    ],
    ask: [
      'grep -rn x',
      'grep --recursive x',
      'x=secrets; cat $x/x',
      'cat s*/x',
      'cat s[e]crets/x',
      'cat $X',
      'cat "$X"',
      'cd $X && cat x',
      'cat < $X',
      'cat $(echo secrets/x)',
      'cat {secrets,a}/x',
      'cat ${X:-a}',
      'grep -r x .',
      'cp -r . /tmp/x',
      'tar cf x .',
      'rg x',
      'ls | xargs cat',
      'diff -r . src',
      'find . -type f -print0 | xargs -0 cat',
      'ls -a | xargs -I{} cat {}',
      'ls | xargs -I% cat %/x',
      'ls -a | xargs -n1 base64',
      'xargs -a list cat',
      'ls -a | gxargs -0 cat',
      'ls | /usr/bin/xargs -r cat',
      'ls | sudo -n xargs -0 cat',
      'ls | timeout --verbose 3 xargs -0 cat',
      'ls | busybox xargs -0 cat',
      'ls | parallel cat',
      'ls | cpio -o',
      'ls -a | tar -cT - -f x',
      'tar --files-from=list -cf x',
      'wc --files0-from=list',
      'find -files0-from list -exec cat {} +',
      'rsync --files-from=list a b',
      'ls -a | zip x -@',
      "sh <<< 'cat secr'ets/x",
      "bash <<'EOF'\ncat sec*/x\nEOF",
      'gzip -rc . | zcat',
      'find . -type f | tar cT -',
      'ln -s . l; cat l/secrets/x',
    ],
    allow: [
      'cat a.txt',
      'ls',
      'echo "$X"',
      'git commit -m "$(date)"',
      'grep -r x src',
      'grep -rn xargs src',
      'tar -cf x src',
      'npm test',
      'cp -r src docs',
    ],
  },
};

/** Programs that no table knows, which may start another, and variables, inputs and options that name one. */
const started: Readonly<Record<string, Rows>> = {
  'Bash(git push:*)': {
    deny: [
      "socat - EXEC:'git push'",
      "less '+!git push' x",
      "vim -c '!git push'",
      "git config core.pager 'git push'",
    ],
    ask: [
      "EDITOR='git push' git commit",
      "GIT_SSH_COMMAND='git push' git fetch",
      'tool-of-tomorrow git push',
      'rbenv exec git push',
      "sg staff -c 'git push'",
      'ssh host <<EOF\ngit push\nEOF',
      "ed -s a.txt <<< '!git push'",
      "m4 <<< 'syscmd(git push)'",
      'parallel git ::: push',
    ],
    allow: [
      "EDITOR=vim git commit -m 'git push follows'",
      'tool-of-tomorrow --title "a b"',
      'psql db < a.sql',
      'patch -p1 < a.patch',
      'parallel cat ::: push',
      "rg 'git push' src",
      'cd push',
    ],
  },
  'Read(secrets/**)': {
    deny: [
      'python3 -c \'print(open("secrets/x").read())\'',
      "node -e 'fs.readFileSync(`secrets/x`)'",
      'awk \'BEGIN { while ((getline l < "secrets/x") > 0) print l }\'',
      "sed -n 'r secrets/x' a.txt",
      'sqlite3 :memory: "select readfile(\'secrets/x\')"',
      'docker run -v ./secrets/x:/x alpine',
      'ln secrets/x y',
      'ln -s secrets/x y',
    ],
    ask: [
      'python3 -m zipfile -c x.zip .',
      'python3.12 -m tarfile -c x.tar .',
      'python3 -m http.server',
      'jar cf x.jar .',
      '7za a x.7z .',
      'mksquashfs . x',
      'cp -rl . y',
      'rsync -a --link-dest=. . y',
      'find . -type f -exec cat {} +',
      'find -exec head {} ";"',
      'fd . -x cat',
      'git grep --no-index x',
    ],
    allow: [
      'find src -type f -exec cat {} +',
      'find . -name x',
      'docker run -v ./src:/x alpine',
      'npm run secrets:list',
      'python3 -m zipfile -c x.zip src',
      'python3 -m http.server -d src',
      "node -e 'console.log(1)'",
    ],
  },
};

/** Other names of the same program, options in front of what a rule spells, and programs that start others. */
const named: Readonly<Record<string, Rows>> = {
  'Bash(rm -r:*)': {
    deny: [
      "env -S'rm -r a'",
      "env --split-string='rm -r a'",
      "python3 -c \"import subprocess; subprocess.run(['rm', '-r', 'a'])\"",
    ],
    ask: ["xargs -I% sh -c 'r% -r a'", 'xargs -I{} {} -r a'],
    allow: ['rm a', 'xargs -I{} cat {}', "env -S'cat a'"],
  },
  'Bash(git push:*)': {
    deny: ['git-push', '/usr/lib/git-core/git-push origin'],
    ask: ['xargs -I{} git {} origin'],
    allow: ['git stash push', 'xargs -I{} git show {}'],
  },
  'Bash(docker compose down:*)': {
    deny: ['docker compose -f x.yml down', 'docker-compose down', 'docker compose --profile a -f b down -v'],
    allow: ['docker compose -f x.yml up', 'docker compose ps'],
  },
  'Bash(gh pr merge:*)': { deny: ['gh pr -R x/y merge 1'], allow: ['gh pr view merge'] },
  'Bash(pip install:*)': {
    deny: [
      'python -m pip install x',
      'python3.12 -m pip -q install x',
      'pip3 install x',
      'pip3.12 install x',
      'uv pip install x',
    ],
    allow: ['pip list', 'python -m pip list', 'uv pip list'],
  },
  'Bash(curl:*)': {
    deny: ['docker run image curl x', 'kubectl exec pod -c main -- curl x'],
    ask: [
      'echo "curl x" | at now',
      'kubectl exec pod -- $x',
      'docker exec pod sh -c $x',
      'tclsh <<< "exec curl x"',
      'echo "curl x" | rbash',
    ],
    allow: [
      ...[
        'kubectl exec $pod -- ls',
        'docker run -v $PWD:/src -e A=curl image make',
        'docker compose run web npm test',
      ],
      ...['conda install curl', 'kubectl get pods', 'crontab -l', 'fly deploy'],
    ],
  },
  'Bash(python:*)': { deny: ['python3 x.py', 'python3.12 x.py'], allow: ['ls python3'] },
  'Bash(node:*)': { deny: ['nodejs x.js'], allow: ['npm test'] },
  'Bash(make deploy:*)': {
    deny: ['make V=1 deploy', 'make test deploy', 'make -j4 test deploy'],
    allow: ['make test', 'make deploy-docs'],
  },
  'Bash(yarn deploy:*)': { deny: ['yarn run deploy'], allow: ['yarn run build'] },
  'Bash(npm publish:*)': { deny: ['corepack npm publish'], allow: ['npm test'] },
  'Bash(npm install:*)': { deny: ['npm it', 'npm install-test x'], allow: ['npm ls'] },
};

/** Programs that the tables know, which start what a later word names, and copies of a program under another name. */
const carried: Readonly<Record<string, Rows>> = {
  'Bash(git push:*)': {
    deny: [
      'git submodule foreach --recursive git push',
      "git submodule foreach --recursive 'git push'",
      "env -S 'git\\_push'",
      "env -S'git\\tpush'",
      'git for-each-repo --config maintenance.repo -- push',
      'git for-each-repo --config=maintenance.repo -- push origin',
    ],
    ask: [
      "git filter-branch --setup 'git push'",
      "git filter-branch -f --setup 'cd x; git -C . push'",
      'cmake -E env git push',
      'ip netns exec x git push',
      'just --command git push',
      'foreman run git push',
      'xargs -a f git',
      'xargs --arg-file f git -C .',
      'cp /usr/bin/git g; ./g push',
      'ln -s "$(which git)" g && ./g push',
      'cp $(command -v git) g',
      'cat /usr/bin/git > g',
      'dd if=/usr/bin/git of=g',
      "mysql -e 'system git push'",
      "psql -c '\\! git push'",
      "sqlite3 x '.shell git push'",
    ],
    allow: [
      'ls -l /usr/bin/git',
      'which git',
      'xargs -a f cat',
      'ls | xargs git add',
      "vitest run -t 'git push is denied'",
      "gh pr create --title 'git push'",
      "git stash push -m 'before git push'",
      "git notes add -m 'git push'",
      'cp src/git.ts docs',
      'cmake -E make_directory push',
    ],
  },
  'Bash(rm:*)': {
    ask: [
      "mysql -e 'system rm a'",
      'foreman run rm a',
      'ip netns exec x rm a',
      'cp /bin/rm r',
      "psql -c '\\! rm a'",
    ],
    allow: [
      "psql -c 'select rm from t'",
      "vitest run -t 'rm fails'",
      'ip link show',
      "sed -i 's/a/rm b/' a.txt",
      'zip x.zip rm',
    ],
  },
};

/** Code and scripts that programs get as text, among their words or in a here-document. */
const asText: Readonly<Record<string, Rows>> = {
  'Bash(git push:*)': {
    deny: [
      `node -e "require('child_process').execFileSync('git',['push'])"`,
      `node -e "require('child_process').spawnSync('git', [ 'push', 'origin' ])"`,
      `deno eval 'new Deno.Command("git",{args:["push"]}).spawn()'`,
      `python -c "import subprocess; subprocess.run(['git','push'])"`,
      `python3 - <<'E'\nimport subprocess\nsubprocess.run(['git', 'push'])\nE`,
      `node <<E\nexecFileSync('git', ['push'])\nE`,
      'bash <<E\ngit push\nE',
      "sh -s <<'E'\nif true; then git push; fi\nE",
      "bash <<< 'cd x && git push'",
      'ssh host <<E\ngit push\nE',
      'docker exec -i box bash <<E\ngit push\nE',
    ],
    ask: [
      `python3 -c "a = 'git'; import subprocess; subprocess.run([a, 'push'])"`,
      "bash <<'E'\ngit $x\nE",
      'parallel git <<< push',
      'cat x | python3 - <<E\nprint(1)\nE',
    ],
    allow: [
      "python3 - <<'E'\nprint(1)\nE",
      `python3 -c "import subprocess; subprocess.run(['git', 'status'])"`,
      `python3 -c "print('git'); print('push')"`,
      'bash <<E\nls\nE',
      "bash <<'E'\nls $x\nE",
      'ssh host <<E\nls\nE',
      "git commit -F - <<'E'\ngit push: how it works\nE",
      "npx vitest run -t 'git push'",
      "pnpm exec jest -t 'git push'",
      "go test -run 'git push' ./...",
      "git commit -m 'docs: how git push works'",
      "echo 'git push'",
      "rg 'git push'",
    ],
  },
};

const known = (rule: string): string[] => [`deny ${rule}`, 'allow Bash'];

for (const [rule, { deny = [], ask = [], allow = [] }] of [
  ...Object.entries(denying),
  ...Object.entries(named),
  ...Object.entries(started),
  ...Object.entries(carried),
  ...Object.entries(asText),
])
  describe(`deny ${rule}`, () => {
    test.each(deny)('denies %s', async (command) => {
      expect(await bash(command, known(rule))).toMatchObject({ behavior: 'deny' });
      expect(await bash(command, known(rule), 'bypassPermissions')).toMatchObject({ behavior: 'deny' });
    });
    if (ask.length > 0)
      test.each(ask)('asks about %s, or denies it', async (command) => {
        for (const mode of ['default', 'bypassPermissions'] as const)
          expect(await bash(command, known(rule), mode)).not.toMatchObject({ behavior: 'allow' });
      });
    if (allow.length > 0)
      test.each(allow)('says nothing of %s', async (command) => {
        expect(await bash(command, known(rule), 'bypassPermissions')).toMatchObject({ behavior: 'allow' });
      });
  });

describe('redirections that are not understood hide nothing', () => {
  const redirections = [
    '3>f',
    '{x}>f',
    '<>f',
    '>|f',
    '2>&-',
    '&>f',
    '>&f',
    '3<&0',
    '>!f',
    '<<<x',
    '3> f',
    '3>"f"',
    '&>>f',
  ];
  test.each(redirections.flatMap((one) => [`git ${one} push`, `${one} git push`, `git -C . ${one} push`]))(
    '%s',
    async (command) => {
      expect((await bash(command, ['deny Bash(git push:*)'], 'bypassPermissions')).behavior).toBe('deny');
    },
  );
  test.each([
    'git&>/dev/null push',
    'git<<<x push',
    'ls &>f git push',
    'git.exe push',
    'git for-each-repo --config=x push',
  ])('%s', async (command) => {
    expect((await bash(command, ['deny Bash(git push:*)'], 'bypassPermissions')).behavior).toBe('deny');
  });
  test.each([
    ...[
      'echo git push | xargs -I{} sh -c {}',
      'BASH_ENV=x bash -c :',
      'ENV=x sh -c :',
      "sed 's/x/git push/e' a",
    ],
    "sftp -o ProxyCommand='git push' x",
  ])('%s is denied or asks', async (command) => {
    expect((await bash(command, ['deny Bash(git push:*)'], 'bypassPermissions')).behavior).not.toBe('allow');
  });
  test.each(['echo x 3>f', 'cat 3<git', 'git status 3>push', "sed 's/x/y/' a"])(
    '%s runs',
    async (command) => {
      expect((await bash(command, ['deny Bash(git push:*)'], 'bypassPermissions')).behavior).toBe('allow');
    },
  );
});

describe('words whose value the command itself sets are known, and denied', () => {
  test.each([
    'a=rm; $a x',
    'ls; a=rm; "$a" x',
    'a=r; b=m; $a$b x',
    'r{m,} x',
    'x=rm; ${x} y',
    'x=rm; bash -c "$x y"',
    'x="rm y"; eval "$x"',
    'x=rm; sudo $x y',
    'x=rm; timeout 5 $x y',
    'x=rm; find . -exec $x {} +',
    'for r in ls rm; do $r x; done',
    'if true; then a=rm; fi; $a x',
    'x=push; git $x',
    'git p{ush,}',
    'g=git; p=push; $g $p',
    'x=secrets; cat $x/x',
    'cat {secrets,docs}/x',
    'for f in secrets/x b; do cat "$f"; done',
  ])('%s', async (command) => {
    const rules = ['deny Bash(rm:*)', 'deny Bash(git push:*)', 'deny Read(secrets/**)', 'allow Bash'];
    for (const mode of ['default', 'bypassPermissions'] as const)
      expect(await bash(command, rules, mode)).toMatchObject({ behavior: 'deny' });
  });

  test.each(['a=ls; $a x', 'a=$HOSTNAME; $a x', 'git lo{g,}'])('%s is not', async (command) => {
    const rules = ['deny Bash(rm:*)', 'deny Bash(git push:*)', 'allow Bash'];
    expect(await bash(command, rules)).not.toMatchObject({ behavior: 'deny' });
  });
});

describe('a rule that asks holds in the same way', () => {
  test.each(['git -C . push', 'git $X', 'sudo git push', 'x=push; git $x'])('%s', async (command) => {
    expect(await bash(command, ['ask Bash(git push:*)', 'allow Bash'])).toMatchObject({ behavior: 'ask' });
  });
});

test('a rule with a folder speaks of the command wherever it may run', async () => {
  expect(await bash('make', ['deny Bash(cd x && make)', 'allow Bash'])).toMatchObject({ behavior: 'deny' });
});

test('the question says that the rule may apply, and to what', async () => {
  const { reason, rule } = await bash('git $X', ['deny Bash(git push:*)'], 'bypassPermissions');
  expect(reason).toContain('Bash(git push:*)');
  expect(reason).toContain('git $X');
  expect(rule?.text).toBe('Bash(git push:*)');
});
