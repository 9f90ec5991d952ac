// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of a shell.
/** An environment variable may contain a secret: without approval, a command may only find out whether it is set. */
import { expect, test } from 'vitest';
import { bash } from '../harness.ts';

test.each([
  // Printed through a value derived from it.
  'x=$TOKEN,a; echo "$x"',
  'x=~$TOKEN; echo "$x"',
  'x="$TOKEN"{a}; echo "$x"',
  'cat <<< $TOKEN,',
  // dash reads this as a program that does not exist.
  'x+=/"$TOKEN"',
  `sh -c 'x+=/evil'`,
  'x+=/evil ls',
  // Passed to another shell as a parameter.
  `bash -c 'echo "$1"' x "$TOKEN"`,
  `sh -c 'for i; do echo "$i"; done' x "$TOKEN"`,
  `zsh -c 'echo $@' x $TOKEN`,
  `x=$TOKEN; bash -c 'echo $0' "$x"`,
  // Compared.
  'case $TOKEN in a*) echo yes;; esac',
  'case abc in $TOKEN) echo yes;; esac',
  'case abc in "$TOKEN"*) echo yes;; esac',
  'case a in x|${TOKEN%????????}) echo yes;; esac',
  // Cut, so that its length reveals its content.
  '[ -z "${TOKEN##a*}" ] && echo yes',
  '[ -n "${TOKEN%%b*}" ]',
  'test -n "${TOKEN/a*/}"',
  '[ "${TOKEN##a*}" ]',
  '[[ -z ${TOKEN##a*} ]]',
  'x=${TOKEN##a*}; [ -z "$x" ]',
  'x=${TOKEN##a*}; y=$x; [ -z "$y" ]',
  // Unchanged if `read` fails, for example on a folder or with an option that a shell does not support.
  'x=$TOKEN; { read -r x; echo "$x"; } < src',
  'x=$TOKEN; read -s x; echo "$x"',
  'until read -r TOKEN; do echo "$TOKEN"; done < src',
  'while ! read -r TOKEN; do echo "$TOKEN"; done < src',
  'while read -r TOKEN; true; do echo "$TOKEN"; done < src',
  'while echo "$x"; read -r x; do :; done < a.txt',
  'while read -r x; do x=$TOKEN; echo "$x"; done < a.txt',
  'while IFS=$TOKEN read -r x; do echo "$x"; done < a.txt',
  // Read by `read`.
  'while read -r x; do echo "$x"; done <<< "$TOKEN"',
  'while read -r x; do echo "$x"; done <<EOF\n$TOKEN\nEOF',
  'echo "$TOKEN" | while read -r x; do echo "$x"; done',
  // How often a loop runs.
  'for f in a ${TOKEN%%b*}; do echo loop; done',
  'x=$TOKEN; for f in $x; do echo loop; done',
  'for f in "a$TOKEN"; do echo loop; done',
])('%s needs approval', async (command) => {
  expect((await bash(command)).behavior).toBe('ask');
});

test.each([
  '[ -n "$TOKEN" ] && echo set',
  '[ -z "${TOKEN:-}" ]',
  'test -n "${TOKEN+x}"',
  '[[ -n $TOKEN ]]',
  'x=$TOKEN; [ -n "$x" ]',
  'case $HOME in /root*) echo yes;; esac',
  'case "$1" in -h) echo help;; esac',
  `bash -c 'echo "$1"' x "$HOME"`,
  '[ "${PWD##*/}" = src ]',
])('%s runs', async (command) => {
  expect((await bash(command)).behavior).toBe('allow');
});
