/** Code and documents with a secret may be printed, since it is redacted there, but not in a form in which it is not. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bash, root } from '../harness.ts';

const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
mkdirSync(join(root, 'rewritten'), { recursive: true });
writeFileSync(join(root, 'rewritten/keys.md'), `# Keys\n\n- ${token}\n`);
writeFileSync(join(root, 'rewritten/keys.test.ts'), `const token = '${token}';\n`);
writeFileSync(join(root, 'rewritten/plain.md'), '# Plain\n');

test.each([
  'cut -c1-20 KEYS',
  'fold -w 9 KEYS',
  'rev KEYS',
  'cat KEYS | rev',
  'cat KEYS | head -3 | base64',
  'base64 KEYS',
  'xxd KEYS',
  'od -c KEYS',
  'hexdump -C KEYS',
  'tr a-z A-Z < KEYS',
  'tr -d _ < KEYS | cat',
  "grep -o 'ghp_.....' KEYS",
  "grep -no 'ghp_.....' KEYS",
  "rg -o 'ghp_.....' KEYS",
  'rg -r x ghp_ KEYS',
  'head -c 20 KEYS',
  'tail -c20 KEYS',
  'tail -qc 20 KEYS',
  "sed 's/_/ /' KEYS",
  "sed -n 'l 9' KEYS",
  'sed y/abc/xyz/ KEYS',
  "awk '{print $2}' KEYS",
  "awk '{print substr($0, 1, 9)}' KEYS",
  'awk -v RS=_ 1 KEYS',
  'awk 1 RS=_ KEYS',
  'column -t -s g KEYS',
  'cmp -l KEYS rewritten/plain.md',
  'diff -y KEYS rewritten/plain.md',
  'diff -pU0 rewritten/plain.md KEYS',
  "rg --json 'p_[a-zA-Z]+' KEYS",
  'ag -W 40 ghp KEYS',
  'ag --ackmate ghp KEYS',
  "awk -F_ '{print $02}' KEYS",
  "awk -F_ '{NF=2}1' KEYS",
  "awk '{$0=1}1' KEYS",
  'awk \'{print "a" $0}\' KEYS',
  "awk '{print NR $0}' KEYS",
  'awk \'{print $0 "a"}\' KEYS',
  'cat -A KEYS',
  'cat -E KEYS',
  'cat -v KEYS',
  'cat -nT KEYS',
  'nl -w1 -sa KEYS',
  'paste -sd a KEYS',
  'paste KEYS rewritten/plain.md',
  'cat KEYS | paste - -',
  'expand KEYS',
  'strings KEYS',
  'for x in $(cat KEYS); do echo "${x%%D}"; done',
  'echo "$(cat KEYS)" | rev',
  'printf \'%.9s\' "$(cat KEYS)"',
  'while read -r line; do echo "$line"; done < KEYS',
  'while IFS=_ read -r a b; do echo "$a $b"; done < KEYS',
  '[[ $(cat KEYS) == *ghp_a* ]] && echo yes',
])('%s', async (command) => {
  for (const file of ['rewritten/keys.md', 'rewritten/keys.test.ts', 'rewritten/key*'])
    if (!(file.includes('*') && /[<]|cmp|diff/.test(command)))
      expect(await bash(command.replace('KEYS', file)), file).toMatchObject({
        behavior: 'ask',
        causes: [expect.objectContaining({ type: 'limit', isSecret: true })],
      });
  expect((await bash(command.replace('KEYS', 'rewritten/plain.md'))).behavior).toBe('allow');
});

test.each([
  'cat KEYS',
  'cat -n KEYS | head -20',
  'head -n 20 KEYS',
  'tail -5 KEYS',
  'grep -n token KEYS',
  'rg -n token KEYS',
  "sed -n '1,20p' KEYS",
  "sed -n '/Keys/,$p' KEYS",
  "awk 'NR==1, NR==5' KEYS",
  'awk \'/Keys/ { print NR ": " $0 }\' KEYS',
  'awk \'{print FILENAME ":" FNR "\\t" $0}\' KEYS',
  "awk '{print NR, $0}' KEYS",
  "awk 'NR>=2 && NR<=9' KEYS",
  "awk 'NR%2==0 {print}' KEYS",
  "awk 'length($0) > 80 || /a/ || !NF' KEYS",
  "awk '!seen[$0]++' KEYS",
  "awk -F: '/a/,/b/ {print; exit}' KEYS",
  "awk '$0 ~ /Keys/; END {print NR}' KEYS",
  'cat KEYS | nl -ba -w3 | tee /dev/null',
  'rg -nUi -C2 --heading --sort path --no-ignore Keys KEYS',
  'comm -12 KEYS rewritten/plain.md',
  'sort -k2 -t, KEYS | tac | tail -n +2',
  'date; ls rewritten; git status | head -3; cat KEYS',
  'sha256sum KEYS && file KEYS && stat KEYS && which node && cat KEYS',
  'sort KEYS | uniq -c',
  'wc -l KEYS',
  'diff -u KEYS rewritten/plain.md',
  'nl KEYS && ls rewritten | cat',
])('whole lines are redacted: %s', async (command) => {
  expect((await bash(command.replace('KEYS', 'rewritten/keys.md'))).behavior).toBe('allow');
});

mkdirSync(join(root, 'rewritten/one'));
mkdirSync(join(root, 'rewritten/many'));
writeFileSync(join(root, 'rewritten/one/live.log'), `sent ${token}\n`);
writeFileSync(join(root, 'rewritten/one/all.zip'), 'PK\u0003\u0004 and more');
for (let at = 0; at < 25; at += 1) writeFileSync(join(root, `rewritten/many/${at}.log`), `sent ${token}\n`);
const objects = join(root, 'rewritten/one/.git/objects/a0');
mkdirSync(objects, { recursive: true });
for (let at = 10; at < 40; at += 1) writeFileSync(join(objects, `${at}`.repeat(19)), 'x\u0001+');

test.each([
  'find rewritten/one -name live.log -exec cat {} +',
  'find rewritten/one -name live.log -exec rev {} +',
  'find rewritten/one -name live.log | xargs head -c 24',
  'grep -rh sent rewritten/one | base64',
  "rg -o 'ghp_.....' rewritten/one",
  'base64 rewritten/one/all.zip',
  'cat rewritten/one/all.zip | xxd',
  `base64 rewritten/one/.git/objects/a0/${'10'.repeat(19)}`,
  `cat rewritten/one/.git/objects/a0/${'10'.repeat(19)}`,
  'cat rewritten/one/.git/objects/a0/* | base64 -w0',
  'find rewritten/one/.git/objects -type f -exec od -An -tx1 -v {} +',
  'find rewritten/one -type f -exec od -An -tx1 -v {} +',
  "grep -rha '' rewritten/one/.git | base64 -w0",
  'find rewritten/one -type f | xargs cat | base64',
])('what a command finds, and what contains other files: %s asks', async (command) => {
  expect((await bash(command)).behavior).toBe('ask');
});

test.each([
  'grep -rn sent rewritten/one | head',
  'unzip -l rewritten/one/all.zip',
  'wc -c rewritten/one/all.zip',
  'grep -rn sent rewritten/one',
  'find rewritten/one -type f | xargs grep -l sent',
  'find rewritten/many -type f | xargs wc -c | sort -n | tail -5',
  'find rewritten/one -type f -exec wc -l {} +',
  'du -sh rewritten/one/.git/objects',
  'ls rewritten/one/.git/objects/a0',
  'grep -rn sent rewritten/one/.git | cut -c1-20',
])('%s runs', async (command) => {
  expect(await bash(command)).toMatchObject({ behavior: 'allow' });
});

test.each([
  "wc -l KEYS | awk '{print $1}'",
  'sha256sum KEYS | cut -c1-8',
  'grep -c token KEYS | tr -d x',
  "rg -l ghp rewritten/one | paste -sd ' '",
  "grep -rlZ sent rewritten/one | tr '\\0' x",
  'find rewritten/one -type f -exec wc -c {} + | sort -n | rev',
])('names and numbers may be cut: %s', async (command) => {
  expect((await bash(command.replace('KEYS', 'rewritten/keys.md'))).behavior).toBe('allow');
});

test.each([
  'rg --json -l ghp KEYS',
  'rg -l --json ghp KEYS',
  'wc -l KEYS | cut -c1-2; cat KEYS',
  'grep -oc ghp_.. KEYS',
])('other text may not: %s', async (command) => {
  expect((await bash(command.replaceAll('KEYS', 'rewritten/keys.md'))).behavior).toBe('ask');
});

test('of a larger search that is then rewritten, untracked settings with a secret are hidden', async () => {
  const folder = join(root, 'rewritten/large');
  const settings = join(folder, 'config/registry.yml');
  mkdirSync(join(folder, 'config'), { recursive: true });
  for (let at = 0; at < 25; at += 1) writeFileSync(join(folder, `${at}.txt`), 'auth: none\n');
  writeFileSync(settings, `auth: ${token}\n`);
  writeFileSync(join(folder, 'guide.md'), `auth: ${token}\n`);
  for (const filter of ['cut -d_ -f2', 'sed s/ghp_//', 'tail -c 20', 'xxd', "awk '{print $2}'"])
    expect(await bash(`grep -rh auth rewritten/large | ${filter}`), filter).toMatchObject({
      behavior: 'ask',
      hiding: [settings],
      causes: [expect.objectContaining({ isSecret: true })],
    });
  for (const filter of ['sort -u', 'head -20', 'nl', 'wc -l'])
    expect(await bash(`grep -rh auth rewritten/large | ${filter}`), filter).toMatchObject({
      behavior: 'allow',
    });
  expect((await bash('grep -rl auth rewritten/large | cut -d/ -f2')).behavior).toBe('allow');
  expect((await bash('grep -rn other rewritten/many | cut -d: -f1')).hiding).toHaveLength(25);
  execFileSync('git', ['-C', root, 'add', '-f', settings]);
  expect((await bash('grep -rh auth rewritten/large | cut -d_ -f2')).behavior).toBe('allow');
  execFileSync('git', ['-C', root, 'rm', '-q', '--cached', settings]);
});

test('a rule that names the call allows it', async () => {
  const rules = ['allow Bash(rev rewritten/keys.md)'];
  expect((await bash('rev rewritten/keys.md', rules)).behavior).toBe('allow');
  expect((await bash('rev rewritten/keys.md; rev rewritten/keys.test.ts', rules)).behavior).toBe('ask');
});
