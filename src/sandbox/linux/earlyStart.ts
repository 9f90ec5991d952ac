/**
 * Starts bubblewrap before its command is known: it enters the session's namespaces and then waits for its arguments, so
 * that the next command does not wait for programs to start. Until then it has no part in any sandbox, and no command can
 * see it: it is in none of their process namespaces.
 */
import type { EarlyStart, Launch } from '../../protocol/sandbox.ts';

/** The command's script, and the last of what is sent. */
const [SCRIPT, COMPLETE] = ['CLAWDCODE_SCRIPT', 'CLAWDCODE_COMPLETE'] as const;

/** If this program is killed while it sends, bubblewrap starts with what has arrived. */
const WRAPPER = `[ "$${COMPLETE}" ] && eval "$${SCRIPT}"`;

/** bubblewrap accepts 9,000 in all. Source: MAX_ARGS in bubblewrap.c. */
const MAX_WORDS = 8000;

interface EarlyParts {
  /** Leads into the session's namespaces. */
  readonly enter: readonly string[];
  readonly bwrap: string;
  /** Arguments of bubblewrap up to the dashes before the program; they refer to these pipes as 3, 4, …. */
  readonly words: readonly string[];
  readonly inherit: Launch['inherit'];
  readonly shell: string;
  /** The last one is the script. */
  readonly args: readonly string[];
  readonly env: Launch['env'];
}

/** Undefined if the command cannot be sent this way. */
export function earlyStart({
  enter,
  bwrap,
  words,
  inherit,
  shell,
  args,
  env,
}: EarlyParts): EarlyStart | undefined {
  const script = args.at(-1) ?? '';
  const sent = [
    ...words.slice(0, -1),
    ...Object.entries(env)
      .filter(([name]) => name !== SCRIPT && name !== COMPLETE)
      .flatMap(([name, value]) => ['--setenv', name, value]),
    // On the same line, so that the shell counts lines as usual.
    ...['--setenv', SCRIPT, `unset ${SCRIPT} ${COMPLETE}; ${script}`],
    ...['--setenv', COMPLETE, '1'],
  ];
  // They are separated by NUL, so one inside would add arguments; setenv(3) rejects an empty name.
  if (sent.length > MAX_WORDS || '' in env || sent.some((word) => word.includes('\0'))) return undefined;
  const [program = bwrap, ...more] = [...enter, bwrap];
  return {
    program,
    args: [...more, '--args', String(3 + inherit.length), '--', shell, ...args.slice(0, -1), WRAPPER],
    inherit: [...inherit, 'pipe'],
    send(pipes) {
      pipes.at(-1)?.end(sent.map((word) => `${word}\0`).join(''));
      return pipes.slice(0, -1);
    },
  };
}
