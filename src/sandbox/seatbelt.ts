/**
 * Converts a plan to a profile for macOS's `sandbox-exec`. Rules are evaluated from top to bottom; the last match
 * applies. Source of the operations: the profiles in /System/Library/Sandbox/Profiles. Pure.
 */
import { depthOf } from '../disk/paths.ts';
import type { SandboxPlan } from './plan.ts';

export function seatbeltProfile(plan: SandboxPlan): string {
  return [
    '(version 1)',
    '(allow default)',
    '; writing: only where the plan says',
    '(deny file-write*)',
    ...['/dev/null', '/dev/zero', '/dev/stdout', '/dev/stderr', '/dev/dtracehelper', '/dev/ptmx'].map(
      (path) => `(allow file-write* (literal ${quoted(path)}))`,
    ),
    '(allow file-write* (regex #"^/dev/fd/"))',
    ...placeRules(plan),
    "; terminals: only those that a command opens itself, not the user's",
    '(deny file-read-data file-write* (regex #"^/dev/tty(s|$)"))',
    '(allow file-read-data file-write* (require-all (regex #"^/dev/ttys") (extension "com.apple.sandbox.pty")))',
    '; network: loopback, and nothing else',
    '(deny network*)',
    ...(plan.network === 'none'
      ? []
      : [
          '(allow network-bind (local ip "localhost:*"))',
          '(allow network-inbound (local ip "localhost:*"))',
          '(allow network-outbound (remote ip "localhost:*"))',
        ]),
    '; nothing that starts or scripts programs outside',
    '(deny appleevent-send)',
    '(deny lsopen)',
    '(deny mach-lookup (global-name "com.apple.coreservices.appleevents"))',
    '(deny mach-lookup (global-name "com.apple.pasteboard.1"))',
    '(deny mach-lookup (global-name "com.apple.SecurityServer"))',
    '(deny mach-lookup (global-name "com.apple.securityd.xpc"))',
    '(deny job-creation)',
    '; no settings or processes of other programs',
    '(deny user-preference-write)',
    '(deny signal)',
    '(allow signal (target same-sandbox))',
    '(deny process-info* (target others))',
    '(allow process-info* (target same-sandbox))',
  ].join('\n');
}

/** Outer places first, since the last matching rule applies: a path opened in a hidden folder is open. */
function placeRules(plan: SandboxPlan): readonly string[] {
  const isHidden = (path: string): boolean =>
    plan.hidden.some((hidden) => path.startsWith(`${hidden.path}/`));
  const rules: readonly (readonly [path: string, rule: (place: string) => string])[] = [
    ...plan.readable.map(
      (path) => [path, (place: string) => `(allow file-read* (subpath ${place}))`] as const,
    ),
    ...plan.writable.map(
      (path) =>
        [
          path,
          (place: string) => `(allow file${isHidden(path) ? '*' : '-write*'} (subpath ${place}))`,
        ] as const,
    ),
    ...plan.pinned.map(
      (path) => [path, (place: string) => `(deny file-write-unlink (literal ${place}))`] as const,
    ),
    ...plan.protected.map(
      (path) => [path, (place: string) => `(deny file-write* (subpath ${place}))`] as const,
    ),
    ...[plan.scratchParent ?? []]
      .flat()
      .map((path) => [path, (place: string) => `(deny file* (subpath ${place}))`] as const),
    [plan.scratch, (place) => `(allow file* (subpath ${place}))`],
    ...plan.hidden.map(
      ({ path, isDirectory }) =>
        [path, (place: string) => `(deny file* (${isDirectory ? 'subpath' : 'literal'} ${place}))`] as const,
    ),
  ];
  return [...rules].sort(([a], [b]) => depthOf(a) - depthOf(b)).map(([path, rule]) => rule(quoted(path)));
}

/** A string literal of the profile language, in which only backslashes and quotes need escaping. */
function quoted(path: string): string {
  return `"${path.replace(/[\\"]/g, '\\$&')}"`;
}
