/** Deny and ask rules apply to commands inside words: attached to an option, in code, typed into a terminal. */
import { describe, expect, test } from 'vitest';
import { bash } from '../harness.ts';

interface Rows {
  readonly deny?: readonly string[];
  readonly ask?: readonly string[];
  readonly allow: readonly string[];
}

/** The value of an option in the option's own word. */
const attached: Rows = {
  deny: [
    "script -qc'git push' /dev/null",
    'script -qcgit\\ push',
    "su -lc'git push'",
    "flock -nc'git push' f",
    "rsync -ave'git push' a b",
    "env -iS'git push'",
    "sudo sh -ec'git push'",
  ],
  ask: ["tool-of-tomorrow -x'git push'", "tool-of-tomorrow --x='git push'", "fzf -m --preview='git push'"],
  allow: [
    "git commit -qm'git push'",
    "git commit -am'git push follows'",
    "grep -e'git push' a.txt",
    "find . -name '-xgit push'",
    "script -qc'git status' /dev/null",
  ],
};

/** Code that starts programs with functions of its language, with the words in any order. */
const inCode: Rows = {
  ask: [
    `awk '{print "push"|"xargs git"}' a.txt`,
    `perl -e'exec{git}git=>push'`,
    `perl -e 'open F,"|git "."push"'`,
    `php -r 'passthru("git"." push");'`,
    "ruby -e 'puts `#{%q(git)} push`'",
    `sudo perl -e'exec{git}git=>push'`,
    `uv run python -c 'import os; a="git"; os.system(a+" push")'`,
    `uv run python <<'E'\nimport os; a="git"; os.system(a+" push")\nE`,
  ],
  allow: [
    "awk '/git|push/ {print $1}' a.txt",
    "awk -F'|' '{print $2}' a.txt",
    `awk '{print "push" > "git"}' a.txt`,
    "timeout --verbose 5 node -e 'console.log(1)'",
  ],
};

/** Keys for the shell in another terminal. */
const typed: Rows = {
  deny: [
    'tmux send-keys -t x git Space push Enter',
    "tmux send -t x 'git push' C-m",
    'tmux send-keys g i t Space p u s h Enter',
    "tmux new -d \\; send-keys 'git push' Enter",
    "sudo tmux send-keys 'git push' Enter",
    "screen -X stuff 'git push^M'",
    "screen -S x -X stuff 'git push\\n'",
    "xdotool type 'git push'",
    "kitty @ send-text 'git push\\n'",
    "wezterm cli send-text 'git push'",
    "zellij action write-chars 'git push'",
  ],
  ask: [
    "tmux send-keys -l 'git pu'",
    'tmux send-keys -t x g',
    'tmux send-keys Up Enter',
    'tmux send-keys "$X" Enter',
    'tmux paste-buffer -t x',
    "wtype 'git push' -k Return",
  ],
  allow: [
    "tmux send-keys -t x 'npm test' Enter",
    "tmux send-keys -t dev 'npm run build && node dist/x.js' Enter",
    'tmux send-keys -t x C-c',
    'tmux send-keys -t x q',
    "tmux send-keys -t x 'npm test'",
    'tmux send-keys -t x Enter',
    'tmux capture-pane -p -t x',
    "tmux new-session -d -s x 'npm run dev'",
    "screen -S x -X stuff 'npm test^M'",
  ],
};

/** Scripts that the line writes before it runs them. */
const written: Rows = {
  deny: [
    "printf 'git push' | tee x.sh; bash x.sh",
    "echo 'git push' > x.sh; sh x.sh",
    "cat > x.sh <<'E'\ngit push\nE\nbash x.sh",
    "cat > x.sh <<'E' && bash x.sh\ngit push\nE",
    `cat > x.py <<'E'\nimport subprocess\nsubprocess.run(["git", "push"])\nE\npython3 x.py`,
    `cat <<'E' > /tmp/x.py\nimport os\nos.system("git push")\nE\nuv run python /tmp/x.py`,
    "echo 'git push' > x.sh && chmod +x x.sh && ./x.sh",
    `printf '#!/usr/bin/env python3\\nimport os\\nos.system("git push")\\n' > x && ./x`,
    "printf git > x; printf ' push' >> x; . ./x",
    "printf 'git p%s' ush > x; sh x",
    '{ echo git push; } > x; sudo bash x',
    "cd sub && echo 'git push' > ../x.sh && sh ../x.sh",
    "dd of=x <<< 'git push'; sh x",
  ],
  ask: [
    "cat <<'E' | tee x.sh && bash x.sh\ngit push\nE",
    "printf 'git p\\165sh' > x; sh x",
    'base64 -d <<< Z2l0IHB1c2g= > x.sh; sh x.sh',
    "(echo git; echo push) | tr '\\n' ' ' > x; bash x",
    'curl -s x.y > x.sh && sh x.sh',
    "echo 'git push' > x; cp x y; sh y",
    "echo 'git push' > x; mv x sub; sh sub/x",
    "echo 'git pus' > x; sed -i s/s/sh/ x; sh x",
  ],
  allow: [
    "cat > x.py <<'E'\nprint(1)\nE\npython3 x.py",
    "cat > x.sh <<'E'\nnpm test\nE\nbash x.sh",
    "echo 'git push' > notes.txt; bash x.sh",
    "echo 'git push' > notes.txt; cp notes.txt docs; node a.js",
    'node build.js > out.txt; node a.js',
    'bash x.sh > log.txt; cat log.txt',
    'bash x.sh 2>&1 | tee log.txt',
    'gcc a.c -o a && ./a > out.txt',
  ],
};

describe.each(
  Object.entries({
    'a command attached to an option': attached,
    'a command in code': inCode,
    'keys typed into another terminal': typed,
    'a script that the same line writes': written,
  }),
)('%s', (_, { deny = [], ask = [], allow }) => {
  const rules = ['deny Bash(git push:*)', 'allow Bash'];
  test.each(deny)('%s is denied', async (command) => {
    for (const mode of ['default', 'bypassPermissions'] as const)
      expect((await bash(command, rules, mode)).behavior).toBe('deny');
  });
  test.each(ask)('%s needs approval', async (command) => {
    for (const mode of ['default', 'bypassPermissions'] as const)
      expect((await bash(command, rules, mode)).behavior).toBe('ask');
  });
  test.each(allow)('%s runs', async (command) => {
    expect((await bash(command, rules, 'bypassPermissions')).behavior).toBe('allow');
  });
});

test.each([
  "script -qc'cat secrets/x' f",
  "screen -X stuff 'cat secrets/x^M'",
  'tmux send-keys cat Space sec rets/x',
])('a rule about files denies %s', async (command) => {
  expect((await bash(command, ['deny Read(secrets/**)'], 'bypassPermissions')).behavior).toBe('deny');
});
