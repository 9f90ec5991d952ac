/**
 * A plan as a profile for macOS's `sandbox-exec`. Rules are read from top to bottom and the last one that matches
 * counts. Source of the operations: the profiles in /System/Library/Sandbox/Profiles. Pure.
 */
import type { SandboxPlan } from './plan.ts';

export function seatbeltProfile(plan: SandboxPlan): string {
  return [
    '(version 1)',
    '(allow default)',
    '; writing: only where the plan says',
    '(deny file-write*)',
    ...plan.writable.map((path) => `(allow file-write* (subpath ${quoted(path)}))`),
    ...(plan.scratchParent === undefined ? [] : [`(deny file* (subpath ${quoted(plan.scratchParent)}))`]),
    `(allow file* (subpath ${quoted(plan.scratch)}))`,
    ...['/dev/null', '/dev/zero', '/dev/tty', '/dev/stdout', '/dev/stderr', '/dev/dtracehelper'].map(
      (path) => `(allow file-write* (literal ${quoted(path)}))`,
    ),
    '(allow file-write* (regex #"^/dev/(fd/|ttys)"))',
    ...plan.protected.map((path) => `(deny file-write* (subpath ${quoted(path)}))`),
    ...plan.anchored.map((path) => `(deny file-write-unlink (literal ${quoted(path)}))`),
    '; reading: everything but secrets',
    ...plan.hidden.map(({ path, isDirectory }) =>
      isDirectory ? `(deny file* (subpath ${quoted(path)}))` : `(deny file* (literal ${quoted(path)}))`,
    ),
    ...plan.writable
      .filter((path) => plan.hidden.some((hidden) => path.startsWith(`${hidden.path}/`)))
      .map((path) => `(allow file* (subpath ${quoted(path)}))`),
    ...plan.readable.map((path) => `(allow file-read* (subpath ${quoted(path)}))`),
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
    '(deny mach-lookup (global-name "com.apple.coreservices.appleevents"))',
    '(deny mach-lookup (global-name "com.apple.pasteboard.1"))',
    '(deny mach-lookup (global-name "com.apple.SecurityServer"))',
    '(deny mach-lookup (global-name "com.apple.securityd.xpc"))',
    '(deny job-creation)',
    '(deny process-info* (target others))',
    '(allow process-info* (target same-sandbox))',
  ].join('\n');
}

/** A string of the profile's language, in which a backslash and a quote are the only ones that need escaping. */
function quoted(path: string): string {
  return `"${path.replace(/[\\"]/g, '\\$&')}"`;
}
