/**
 * What one command may do, worked out from the settings, the places and what let it run. Only words about files and
 * the network: `bubblewrap.ts` and `seatbelt.ts` say the same to the operating system. Pure.
 */
import { dirname } from 'node:path';
import type { PermissionBasis } from '../protocol/permissions.ts';
import type { SandboxMode } from '../protocol/sandbox.ts';

/** Absolute, resolved paths; every one exists. */
export interface SandboxPlaces {
  /** The project and the directories added to it. */
  readonly workspace: readonly string[];
  /** Folders for temporary files that all programs share. */
  readonly temporary: readonly string[];
  /** Where the git folder lies when it is not in the workspace, as for a linked worktree. */
  readonly gitFolders: readonly string[];
  /** In writable places: files that other programs obey, and their parents up to the writable place. */
  readonly protected: readonly string[];
  /** Secrets, with what they are. */
  readonly hidden: readonly HiddenPlace[];
  /** The project's own secrets (`.env`): hidden from commands that nobody was asked about. */
  readonly projectSecrets: readonly string[];
  /** In hidden places: what may be read all the same. */
  readonly readable: readonly string[];
  /** Beyond the workspace: `sandbox.allowWrite`, and caches of package managers. */
  readonly writable: readonly string[];
  /** Holds the folders of all running commands; only the command's own is seen. */
  readonly scratchParent: string | undefined;
}

export interface HiddenPlace {
  readonly path: string;
  readonly isDirectory: boolean;
}

/** `session`: loopback of the session's own, and a proxy that checks names. */
export type PlannedNetwork = 'none' | 'session';

export interface SandboxPlan {
  readonly mode: 'read-only' | 'workspace-write';
  readonly cwd: string;
  /** In order: a later entry may lie in an earlier one. */
  readonly writable: readonly string[];
  readonly hidden: readonly HiddenPlace[];
  readonly readable: readonly string[];
  readonly protected: readonly string[];
  /** Cannot be renamed, though what is in them can be changed: they hold something protected. */
  readonly anchored: readonly string[];
  readonly scratch: string;
  readonly scratchParent: string | undefined;
  readonly network: PlannedNetwork;
}

/** A command that only looks gets no more than looking takes, whatever the mode. */
export function planCommand(
  mode: Exclude<SandboxMode, 'danger-full-access'>,
  basis: PermissionBasis,
  { cwd, scratch }: { readonly cwd: string; readonly scratch: string },
  places: SandboxPlaces,
): SandboxPlan {
  const looksOnly = basis === 'read-only';
  const writes = mode === 'workspace-write' && !looksOnly;
  const writable = writes
    ? [...places.temporary, ...places.gitFolders, ...places.writable, ...places.workspace]
    : [];
  const secrets = looksOnly ? places.projectSecrets.map((path) => ({ path, isDirectory: false })) : [];
  return {
    mode: writes ? 'workspace-write' : 'read-only',
    cwd,
    writable: outermostFirst(writable),
    hidden: [...places.hidden, ...secrets],
    readable: places.readable,
    protected: writes ? places.protected : [],
    anchored: writes ? anchorsOf(places.protected, writable) : [],
    scratch,
    scratchParent: places.scratchParent,
    network: looksOnly ? 'none' : 'session',
  };
}

function outermostFirst(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].sort((a, b) => a.split('/').length - b.split('/').length);
}

/** The folders between a writable place and what is protected in it: renamed, they would take it out of the way. */
function anchorsOf(kept: readonly string[], writable: readonly string[]): readonly string[] {
  const anchors = kept.flatMap((path) => {
    const between: string[] = [];
    for (let at = dirname(path); at !== dirname(at) && !writable.includes(at); at = dirname(at))
      between.push(at);
    return between.filter((folder) => writable.some((place) => folder.startsWith(`${place}/`)));
  });
  return outermostFirst(anchors);
}
